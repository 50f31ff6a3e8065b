// Translates bytes as they arrive, without I/O: the program owns the connection.
import { readFile } from 'node:fs/promises'
import { createStreamTranslator } from 'millrace'

const recording = await readFile('fixtures/ollama-chat/hello.stream.ndjson')
const translator = createStreamTranslator({ from: 'ollama-chat', to: 'gemini-generate' })

for (let at = 0; at < recording.length && !translator.done; at += 100)
  process.stdout.write(translator.push(recording.subarray(at, at + 100)))
process.stdout.write(translator.end())
console.log(translator.outcome.status, translator.outcome.losses)
