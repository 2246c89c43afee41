// @ts-check
import { languageToFollow } from "../../models/account/account-facts.js";
import { pageLanguages } from "../../page.js";

const followShelf = "understudy.account-language";

/**
 * Changes the language of the pages to the account's, if it changed: the page is loaded again and keeps its place.
 * @param {import("../../models/account/account-facts.js").Account} account
 */
export function followAccount(account) {
  const code = account.active_profile?.language_code ?? account.settings?.preferred_language_code;
  if (!code || account.source === "cache") return;
  const language = languageToFollow({
    account: code,
    followed: localStorage.getItem(followShelf),
    chosen: localStorage.getItem("understudy.language"),
    shown: document.documentElement.lang,
  }, pageLanguages.map((one) => one.code));
  localStorage.setItem(followShelf, code);
  if (!language) return;
  localStorage.setItem("understudy.language", language);
  const address = new URL(location.href);
  if (!address.searchParams.has("lang")) return location.reload();
  address.searchParams.delete("lang");
  location.replace(address);
}
