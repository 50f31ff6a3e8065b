// Reads a recorded Anthropic stream and prints the response object that it amounts to.
import { readFile } from 'node:fs/promises'
import { collectStream, DIALECTS, EMPTY_ECHO, WIRES } from 'millrace'

const head = { id: 'resp_1', created_at: 0, model: 'claude', echo: EMPTY_ECHO }
const collection = collectStream({ wire: WIRES['anthropic-messages'], dialect: DIALECTS.openai, head })
collection.receive(await readFile('fixtures/anthropic-messages/search.stream.sse'))
const response = collection.end()

for (const item of response.output) console.log(item.type)
console.log(response.status, response.usage.total_tokens)
console.log(collection.outcome().losses)
