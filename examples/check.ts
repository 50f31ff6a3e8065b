// Checks a Responses stream of any server, and prints each rule that it breaks.
import { createReadStream } from 'node:fs'
import { translateStream, validateResponsesStream } from 'millrace'

const recording = createReadStream('fixtures/openai-chat/hello.stream.sse')
const text = await new Response(translateStream(recording, { from: 'openai-chat' })).text()
const cut = text.replace(/event: response\.completed[\s\S]*$/, '')

console.log(validateResponsesStream(text, { dialect: 'openai' }).length)
for (const violation of validateResponsesStream(cut)) console.log(violation)
