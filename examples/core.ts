// The same translation from objects: a bundle of this program contains one wire and one dialect.
import { createReadStream } from 'node:fs'
import { dialectTarget, translateIterable } from 'millrace/core'
import { openai } from 'millrace/dialects/openai'
import { openaiChatStream } from 'millrace/wires/openai-chat'

const recording = createReadStream('fixtures/openai-chat/hello.stream.sse')
const options = { from: openaiChatStream, to: dialectTarget(openai) }
for await (const bytes of translateIterable(recording, options)) process.stdout.write(bytes)
