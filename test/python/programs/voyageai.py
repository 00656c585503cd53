import voyageai
from task import *

PACKAGES = ["voyageai"]
client = voyageai.Client(api_key=KEY, base_url=BASE)


def embeddings():
    return client.embed(SENTENCES, model=EMBEDDER, input_type="document").embeddings


def rerank():
    answer = client.rerank(QUERY, DOCUMENTS, model=RANKER, top_k=2)
    return [(each.index, each.relevance_score) for each in answer.results]


def errors():
    return client.embed(SENTENCES, model=UNKNOWN)
