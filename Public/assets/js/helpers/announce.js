// @ts-check
/** Says a sentence to a screen reader, politely; the region stands in every page before it is needed. @param {string} text */
export function announce(text) {
  const region = document.getElementById("announcer");
  if (!region) return;
  region.textContent = "";
  // A change in the same turn would be lost.
  setTimeout(() => {
    region.textContent = text;
  }, 50);
}
