import cohere
from task import *

PACKAGES = ["cohere"]
# Its chat and embeddings are an API of its own, which this service does not have.


def ranked(client, model=RANKER):
    answer = client.rerank(model=model, query=QUERY, documents=DOCUMENTS, top_n=2)
    return [(each.index, each.relevance_score) for each in answer.results]


def rerank():
    check_rerank(ranked(cohere.Client(base_url=ROOT, api_key=KEY)))
    return ranked(cohere.ClientV2(base_url=ROOT, api_key=KEY))


def errors():
    return ranked(cohere.ClientV2(base_url=ROOT, api_key=KEY), UNKNOWN)
