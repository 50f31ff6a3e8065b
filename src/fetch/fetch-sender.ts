import type { Hashes } from '../gateway/hashes.ts'
import { createSender, LONGEST_ANSWER, type Sender } from '../gateway/telemetry/deliver.ts'
import { concatenated } from '../text/bytes.ts'
import type { Fetch } from './fetch-transport.ts'

/** Creates a sender that calls destinations by `fetch`. */
export const openFetchSender = (send: Fetch, timeoutMs: number, hashes: Hashes): Sender =>
  createSender(
    async (url, { method, headers, body }) => {
      const { host: _, ...own } = headers as Readonly<Record<string, string>>
      const signal = AbortSignal.timeout(timeoutMs)
      const answer = await send(url, { method, headers: own, body: body as BodyInit, redirect: 'manual', signal })
      return {
        status: answer.status,
        header: (name) => answer.headers.get(name) ?? undefined,
        text: await readStart(answer.body),
      }
    },
    hashes,
    async () => undefined,
  )

async function readStart(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const reader = body?.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  while (reader !== undefined) {
    const { done, value } = await reader.read()
    if (done) break
    chunks.push(value)
    size += value.length
    if (size <= LONGEST_ANSWER) continue
    // The rest would keep the connection busy.
    await reader.cancel()
    break
  }
  return new TextDecoder().decode(concatenated(chunks))
}
