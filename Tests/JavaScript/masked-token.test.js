// @ts-check
import { factsOf, lifeOf, tokensIn, useOf } from "../../Public/assets/js/models/network/masked-token.js";
import { same } from "./check.js";

const token = { mask: "3f1c09ab", alg: "RS256", kid: "k1", iat: 1_800_000_000, exp: 1_800_000_900, claims: ["aud", "sub"] };

Deno.test("a token is found by the digits of its mask, whose kind depends on the place", () => {
  same(tokensIn("Bearer ‹token:3f1c09ab›", [token]), [token]);
  same(tokensIn("sid=‹key:3f1c09ab›; Path=/", [token]), [token]);
  same(tokensIn("‹token:3f1c09ac›", [token]), []);
  same(tokensIn("3f1c09ab", [token]), []);
  same(tokensIn("‹token:3f1c09ab›", undefined), []);
});

Deno.test("the name of a value says what its token is for", () => {
  same(["Authorization", "access_token", "refreshToken", "id_token", "identityToken", "DPoP", "token"].map(useOf), [
    "access",
    "access",
    "refresh",
    "identity",
    "identity",
    "other",
    "other",
  ]);
});

Deno.test("what is left of a token is as of the row", () => {
  const when = new Date(1_800_000_720_000).toISOString();
  same(lifeOf(token, when), { issued: 1_800_000_000_000, valid: 900_000, left: 180_000 });
  same(lifeOf({ ...token, exp: 1_800_000_700 }, when).left, -20_000);
  same(lifeOf({ mask: "3f1c09ab", claims: [] }, when), {});
  same(lifeOf({ mask: "3f1c09ab", nbf: 1_800_000_000, claims: [] }, when), { issued: 1_800_000_000_000 });
  same(lifeOf({ ...token, exp: 1_700_000_000 }, when).valid, undefined);
});

Deno.test("the other facts are as the token spells them", () => {
  same(factsOf(token), "RS256 · kid k1 · aud, sub");
  same(factsOf({ mask: "3f1c09ab", claims: [] }), "");
});
