import type { ModelCallOptions, ModelWarning } from '../../src/ai-sdk/contract.ts'
import { createMillrace, type MillraceOptions } from '../../src/ai-sdk.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRE_UPSTREAMS } from '../mock-upstreams/wires.ts'
import { UPSTREAMS } from './sdks.ts'

/** What a model sends for one call, and the warnings of the call. */
export interface SentRequest {
  // biome-ignore lint/suspicious/noExplicitAny: the body of any vendor.
  readonly body: any
  readonly text: string
  readonly headers: Headers
  readonly warnings: readonly ModelWarning[]
  readonly warned: string
}

export const HI = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] as const

export const upstreamOf = (wire: WireName): Pick<MillraceOptions, 'vendor' | 'wire'> & { readonly model: string } => ({
  vendor: UPSTREAMS[wire].vendor,
  wire,
  model: UPSTREAMS[wire].model,
})

/** Calls a model whose vendor answers with a text. */
export async function sentBy(
  { model, wire, ...upstream }: Pick<MillraceOptions, 'vendor' | 'wire'> & { readonly model: string },
  options: Partial<ModelCallOptions>,
): Promise<SentRequest> {
  let sent: RequestInit = {}
  const { encodeTurn, contentType } = WIRE_UPSTREAMS[wire as WireName]
  const fetch = (async (_: unknown, init: RequestInit) => {
    sent = init
    return new Response(new Uint8Array(encodeTurn({ text: ['Hello'], calls: [] })), {
      headers: { 'content-type': contentType },
    })
  }) as typeof globalThis.fetch
  const provider = createMillrace({
    ...upstream,
    ...(wire === undefined ? {} : { wire }),
    baseUrl: 'https://vendor.example',
    apiKey: 'k',
    fetch,
  })
  const { stream } = await provider(model).doStream({ prompt: HI, ...options })
  let warnings: readonly ModelWarning[] = []
  for await (const part of stream as unknown as AsyncIterable<{ readonly type: string }>)
    if (part.type === 'stream-start') ({ warnings } = part as unknown as { warnings: readonly ModelWarning[] })
  const text = String(sent.body)
  return {
    body: JSON.parse(text),
    text,
    headers: new Headers(sent.headers),
    warnings,
    warned: JSON.stringify(warnings),
  }
}
