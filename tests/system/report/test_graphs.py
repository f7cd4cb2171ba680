"""A graph as the report embeds it: any kind of thought, each passage once."""

from system.graph.records import Claim
from system.report.graphs import StoredGraph
from tests.helpers.report_factories import BLOG, CHUNK, HISTORY, TEXT, graph_of


def test_passages_are_embedded_once_and_thoughts_refer_to_them():
    tree = graph_of(Claim(id=0, text=TEXT)).to_json()
    dream = {"id": "z1", "kind": "dream", "operation": "sleep", "content": {"of": ["sheep"]}}
    tree["thoughts"].append(tree["thoughts"][1] | dream)
    page = StoredGraph.of(tree).embedded()
    assert sorted(passage["url"] for passage in page["passages"]) == [BLOG, HISTORY]
    by_id = {thought["id"]: thought for thought in page["thoughts"]}
    number = by_id["q1.e1"]["content"]["passage"]["ref"]
    assert page["passages"][number] == {"url": HISTORY, "page": 4, "start": 1200, "text": CHUNK, "suspicious": False}
    assert by_id["d1"]["content"]["passages"] == [{"ref": number}]
    assert by_id["q1.m1"]["content"]["answers"][0]["passage"] == {"ref": number}
    assert by_id["z1"]["content"] == {"of": ["sheep"]}  # an unknown kind
    assert by_id["q3.p1"]["summary"]["text"] == "repeats another question, similarity 0.97"
    assert (by_id["claim"]["cost"], by_id["q1"]["cost"]["tokens_in"]) == ({}, 812)  # zeros are left out
