// @ts-check
import { announce, h } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { LiveElement, loadWords, session } from "../../page.js";

/** Shows where the changed backend file has an error; hides itself once the file is valid. */
class FileProblem extends LiveElement {
  #detail = h("p", { class: "mono", dir: "ltr", id: "file-problem" });

  async connectedCallback() {
    this.hidden = true;
    await loadWords("offer");
    this.className = "notice";
    this.dataset.tone = "warn";
    this.setAttribute("role", "region");
    this.setAttribute("aria-label", t("offer.problem"));
    this.replaceChildren(h("div", { class: "grow stack-tight" }, h("p", {}, t("offer.problem")), this.#detail));
    session.addEventListener("change", () => this.#show(), { signal: this.signal });
    this.#show();
  }

  #show() {
    const problem = session.state?.backend.file_problem ?? "";
    if (problem && problem !== this.#detail.textContent) announce(`${t("offer.problem")} ${problem}`);
    this.#detail.textContent = problem;
    this.hidden = !problem;
  }
}

customElements.define("file-problem", FileProblem);
