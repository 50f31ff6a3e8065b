import type { WireName } from '../../wires/contract.ts'

const PATHS: readonly (readonly [path: RegExp, wire: WireName])[] = [
  [/\/chat\/completions$/, 'openai-chat'],
  [/\/responses(?:\/|$)/, 'openai-responses'],
  [/\/messages(?:\/|$)/, 'anthropic-messages'],
  [/:(?:stream)?generateContent$/i, 'gemini-generate'],
  [/\/interactions$/, 'gemini-interactions'],
  [/\/converse(?:-stream)?$/, 'bedrock-converse'],
  [/\/v2\/chat$/, 'cohere-chat'],
  [/\/api\/chat$/, 'ollama-chat'],
]

/** The wire to which the path of a request belongs; null: it belongs to none, or to several. */
export function wireOfPath(path: string): WireName | null {
  const [name = ''] = path.split('?', 1)
  return PATHS.find(([pattern]) => pattern.test(name))?.[1] ?? null
}
