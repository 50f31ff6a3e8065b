// Checks a Responses stream of any server, and prints each rule that it breaks.
import { readFile } from 'node:fs/promises'
import { checkStream, detectDialect } from 'millrace'

const text = await readFile('fixtures/openai-chat/hello.openai.sse', 'utf8')
const dialect = detectDialect(text)
const cut = text.replace(/event: response\.completed[\s\S]*$/, '')

console.log(dialect.name, checkStream(text, dialect).length)
for (const violation of checkStream(cut, dialect)) console.log(violation)
