// The C# client of openapi-generator: what the generated clients of every language do here, in the same lines.

using System.Text.Json;
using System.Text.RegularExpressions;
using Org.OpenAPITools.Api;
using Org.OpenAPITools.Client;
using Org.OpenAPITools.Model;

PetsApi Pets(string? token) =>
	new(new Configuration { BasePath = Environment.GetEnvironmentVariable("ANIMAL_STORE_URL"), AccessToken = token });

void Refused(Action call)
{
	try
	{
		call();
	}
	catch (ApiException error)
	{
		var code = JsonDocument.Parse(error.ErrorContent.ToString()!).RootElement.GetProperty("code");
		Console.WriteLine($"{error.ErrorCode} {code.GetString()}");
	}
}

var api = Pets(Environment.GetEnvironmentVariable("ANIMAL_STORE_KEY"));
Console.WriteLine($"list {api.ListPets().Count}");
Console.WriteLine($"filter {api.ListPets(status: PetStatus.Sold).Count}");

var count = 0;
string? cursor = null;
do
{
	var page = api.ListPetsWithHttpInfo(limit: 2, cursor: cursor);
	count += page.Data.Count;
	var next = Regex.Match(string.Join(", ", page.Headers["Link"]), "[?&]cursor=([^>&]+)[^>]*>; rel=\"next\"");
	cursor = next.Success ? next.Groups[1].Value : null;
} while (cursor != null);
Console.WriteLine($"page {count}");

var rex = new NewPet("Rex", 9007199254740993, PetStatus.Available);
var created = api.CreatePet(rex, Guid.NewGuid().ToString());
Console.WriteLine($"create {created.CategoryId}");
Console.WriteLine($"get {api.GetPet(created.Id).CategoryId}");

Refused(() => api.ListPets(cursor: "garbage"));
Refused(() => Pets("unknown").ListPets());
Refused(() => api.GetPet(999));
