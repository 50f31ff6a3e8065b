// Checks a Responses stream of any server, and prints each rule that it breaks.
import { readFile } from 'node:fs/promises'
import { validateResponsesStream } from 'millrace'

const text = await readFile('fixtures/openai-chat/hello.openai.sse', 'utf8')
const cut = text.replace(/event: response\.completed[\s\S]*$/, '')

console.log(validateResponsesStream(text, { dialect: 'openai' }).length)
for (const violation of validateResponsesStream(cut)) console.log(violation)
