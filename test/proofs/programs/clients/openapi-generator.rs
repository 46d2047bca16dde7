// The Rust client of openapi-generator, with the steps and the output that all generated clients share.

use openapi::apis::configuration::Configuration;
use openapi::apis::pets_api::{create_pet, get_pet, list_pets};
use openapi::apis::Error;
use openapi::models::{NewPet, Pet, PetStatus};
use std::env;

fn pets(token: &str) -> Configuration {
    Configuration {
        base_path: env::var("ANIMAL_STORE_URL").unwrap(),
        bearer_access_token: Some(token.to_string()),
        ..Configuration::new()
    }
}

fn refused<Value, Known>(result: Result<Value, Error<Known>>) {
    if let Err(Error::ResponseError(reply)) = result {
        let failure: openapi::models::Error = serde_json::from_str(&reply.content).unwrap();
        println!("{} {}", failure.status, failure.code);
    }
}

/// The generated operations do not return headers, so pages are read with the same HTTP client.
async fn page(api: &Configuration, url: &str) -> (Vec<Pet>, Option<String>) {
    let request = api.client.get(url).bearer_auth(api.bearer_access_token.as_ref().unwrap());
    let reply = request.send().await.unwrap();
    let links = reply.headers()["link"].to_str().unwrap().to_string();
    let next = links.split(", ").find(|link| link.ends_with("rel=\"next\""));
    let url = next.map(|link| link[1..link.find('>').unwrap()].to_string());
    (serde_json::from_str(&reply.text().await.unwrap()).unwrap(), url)
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let api = pets(&env::var("ANIMAL_STORE_KEY").unwrap());
    println!("list {}", list_pets(&api, None, None, None, None).await.unwrap().len());
    let sold = list_pets(&api, None, Some(PetStatus::Sold), None, None).await.unwrap();
    println!("filter {}", sold.len());

    let mut count = 0;
    let mut next = Some(format!("{}/pets?limit=2", api.base_path));
    while let Some(url) = next {
        let (pets, url) = page(&api, &url).await;
        count += pets.len();
        next = url;
    }
    println!("page {}", count);

    let mut rex = NewPet::new("Rex".to_string(), 9007199254740993);
    rex.status = Some(PetStatus::Available);
    let created = create_pet(&api, rex, Some("rust-1")).await.unwrap();
    println!("create {}", created.category_id);
    println!("get {}", get_pet(&api, created.id, None).await.unwrap().category_id);

    refused(list_pets(&api, None, None, Some("garbage"), None).await);
    refused(list_pets(&pets("unknown"), None, None, None, None).await);
    refused(get_pet(&api, 999, None).await);
}
