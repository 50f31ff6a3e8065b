// Translates a whole body of an upstream to a body, and to a stream, for a client of another protocol.
import { readFile } from 'node:fs/promises'
import { streamFromBody, translateBody } from 'millrace'

const body = await readFile('fixtures/openai-chat/hello.body.json', 'utf8')
const options = { from: 'openai-chat', to: 'anthropic-messages' } as const

console.log(translateBody(body, options).body)
console.log(new TextDecoder().decode(streamFromBody(body, options).bytes))
