// @ts-check
/** Lower case and without marks, so that "reseau" finds "Réseau". @param {string} text */
export const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase();
