// @ts-check
import { parseFilter } from "../../Public/assets/js/models/network/filter-syntax.js";
import { savedQuery } from "../../Public/assets/js/models/network/saved-query.js";
import { same } from "./check.js";

/** @param {string} text */
const query = (text) => savedQuery(parseFilter(text).expression);

Deno.test("the console applies what it can of a filter to saved rows", () => {
  same(query("path:/rpc/me"), "q=%2Frpc%2Fme");
  same(query("login"), "q=login");
  same(query("host:example.org"), "q=example.org");
  same(query("method:post status:5xx"), "method=post&status=5xx");
  same(query("status:error"), "status=err");
  same(query("me path:/rpc/get_cues"), "q=%2Frpc%2Fget_cues");
  same(query("drift:any dur:>1s"), "drift=any");
});

Deno.test("what could leave out a row that matches is not asked for", () => {
  same(query("-path:/rpc/me"), "");
  same(query("path:/rpc/me | path:/rpc/cues"), "");
  same(query("path:/rpc/me,/rpc/cues"), "");
  same(query("path:/rpc/*"), "");
  same(query("status:200..299"), "");
  same(query("status:>=500"), "");
  same(query("(path:/a | path:/b) method:get"), "method=get");
  same(query("is:failed since:5m id:0198c0de header:etag 0198c0de-0000"), "");
});
