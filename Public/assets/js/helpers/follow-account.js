// @ts-check
import { languageToFollow } from "../models/language.js";

const shelf = "understudy.account-language";

/**
 * Lets the language of the pages follow the account's: the page is read anew in it, and its place is kept.
 * @param {import("../models/account-facts.js").Account} account
 */
export function followAccount(account) {
  const code = account.active_profile?.language_code ?? account.settings?.preferred_language_code;
  if (!code || account.source === "cache") return;
  const language = languageToFollow({
    account: code,
    followed: localStorage.getItem(shelf),
    chosen: localStorage.getItem("understudy.language"),
    shown: document.documentElement.lang,
  });
  localStorage.setItem(shelf, code);
  if (!language) return;
  localStorage.setItem("understudy.language", language);
  const address = new URL(location.href);
  if (!address.searchParams.has("lang")) return location.reload();
  address.searchParams.delete("lang");
  location.replace(address);
}
