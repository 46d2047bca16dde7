// The Java client of openapi-generator, with the steps and the output that all generated clients share.

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.ApiResponse;
import org.openapitools.client.api.PetsApi;
import org.openapitools.client.model.NewPet;
import org.openapitools.client.model.Pet;
import org.openapitools.client.model.PetStatus;

public class OpenApiGenerator {
	private static final Pattern NEXT = Pattern.compile("[?&]cursor=([^>&]+)[^>]*>; rel=\"next\"");

	interface Call {
		void run() throws ApiException;
	}

	static PetsApi pets(String token) {
		ApiClient client = new ApiClient();
		client.updateBaseUri(System.getenv("ANIMAL_STORE_URL"));
		client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
		return new PetsApi(client);
	}

	static void refused(Call call) throws Exception {
		try {
			call.run();
		} catch (ApiException error) {
			String code = new ObjectMapper().readTree(error.getResponseBody()).get("code").asText();
			System.out.println(error.getCode() + " " + code);
		}
	}

	public static void main(String[] arguments) throws Exception {
		PetsApi api = pets(System.getenv("ANIMAL_STORE_KEY"));
		System.out.println("list " + api.listPets(null, null, null, null).size());
		System.out.println("filter " + api.listPets(null, PetStatus.SOLD, null, null).size());

		int count = 0;
		String cursor = null;
		do {
			ApiResponse<List<Pet>> page = api.listPetsWithHttpInfo(2, null, cursor, null);
			count += page.getData().size();
			Matcher next = NEXT.matcher(String.join(", ", page.getHeaders().get("link")));
			cursor = next.find() ? next.group(1) : null;
		} while (cursor != null);
		System.out.println("page " + count);

		NewPet rex = new NewPet().name("Rex").categoryId(9007199254740993L).status(PetStatus.AVAILABLE);
		Pet created = api.createPet(rex, UUID.randomUUID().toString());
		System.out.println("create " + created.getCategoryId());
		System.out.println("get " + api.getPet(created.getId(), null).getCategoryId());

		refused(() -> api.listPets(null, null, "garbage", null));
		refused(() -> pets("unknown").listPets(null, null, null, null));
		refused(() -> api.getPet(999L, null));
	}
}
