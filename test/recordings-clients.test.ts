import { createOpenAI } from '@ai-sdk/openai'
import { streamText } from 'ai'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { openai } from '../src/dialects/openai.ts'
import { optionsOf, toBytes, translated } from './engine/run-engine.ts'
import { RECORDED_STREAMS, RECORDINGS_DIR, type Recorded, readRecorded } from './recordings.ts'

/** The vendors' own clients read every recorded stream after its translation to the Responses API, without a network. */

type Read = (body: Uint8Array) => Promise<readonly string[]>

const answering = (body: Uint8Array): typeof fetch =>
  (async () =>
    new Response(body as BodyInit, { headers: { 'content-type': 'text/event-stream' } })) as unknown as typeof fetch

const readByOpenAI: Read = async (body) => {
  const client = new OpenAI({ apiKey: 'none', fetch: answering(body), maxRetries: 0 })
  try {
    await client.responses.stream({ model: 'any', input: 'x' }).finalResponse()
    return []
  } catch (error) {
    return [`${error}`]
  }
}

/** The errors of the AI SDK are exceptions, or objects with the failure of the stream. */
const textOf = (error: unknown): string => (error instanceof Error ? `${error}` : JSON.stringify(error))

const readByAISDK: Read = async (body) => {
  const provider = createOpenAI({ apiKey: 'none', fetch: answering(body) })
  const result = streamText({ model: provider.responses('any'), prompt: 'x', maxRetries: 0, onError: () => undefined })
  const found: string[] = []
  try {
    for await (const part of result.fullStream) if (part.type === 'error') found.push(textOf(part.error).slice(0, 2000))
  } catch (error) {
    found.push(textOf(error))
  }
  return found
}

/** The messages of failures that the stream itself reports, as JSON text and as they are. */
function reportedIn(stream: string): readonly string[] {
  const events = stream
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)))
    .filter(({ type }) => type === 'error' || type === 'response.failed')
  const messages: readonly string[] = events.map((event) => event.response?.error?.message ?? event.message)
  return messages.flatMap((message) => [message, JSON.stringify(message).slice(1, -1)]).filter(Boolean)
}

const CLIENTS: Readonly<Record<string, Read>> = {
  'the official client (openai)': readByOpenAI,
  'the AI SDK (@ai-sdk/openai)': readByAISDK,
}

/** Returns the errors that neither the stream reports nor the untranslated recording has. */
async function newErrors({ file, wire, quirks }: Recorded, read: Read): Promise<readonly string[]> {
  const bytes = readRecorded(file)
  const text = translated(optionsOf(openai, quirks, 'x', wire), [bytes])
  const reported = reportedIn(text)
  const found = (await read(toBytes(text))).filter((error) => !reported.some((message) => error.includes(message)))
  if (found.length === 0 || wire.name !== 'openai-responses') return found
  const before = await read(bytes)
  return found.filter((error) => !before.includes(error))
}

if (RECORDED_STREAMS.length === 0) {
  it('recordings are in the folder that RECORDINGS_DIR names', ({ skip }) =>
    skip(`There are no recordings in ${RECORDINGS_DIR}: set RECORDINGS_DIR to a folder that has some.`))
}

describe.each(Object.entries(CLIENTS))('%s', (_, read) => {
  it.skipIf(RECORDED_STREAMS.length === 0)(
    'reads every translated recording without an error of its own',
    async () => {
      const faults: Record<string, readonly string[]> = {}
      for (const recorded of RECORDED_STREAMS) {
        const found = await newErrors(recorded, read)
        if (found.length > 0) faults[recorded.file] = found
      }
      expect(faults).toEqual({})
    },
    300_000,
  )
})
