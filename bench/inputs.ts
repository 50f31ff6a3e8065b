import { readFileSync } from 'node:fs'

/** How a network cuts a stream: an event a read, an Ethernet frame, a socket buffer. */
export const CUTS = { event: 0, '1,400 B': 1_400, '16 KiB': 16 * 1024 } as const
export type Cut = keyof typeof CUTS

/** A long answer. */
const EVENTS = 1_000

/** A long stream in the shape of a fixture: its text chunks again and again, between its own beginning and end. */
/** `random`: text, and in every chunk a field that no template can foresee. */
export function longStream(name: string): string {
  const fixture = name === 'random' ? 'hello' : name
  const file = `fixtures/openai-chat/${fixture}.stream.sse`
  const frames = readFileSync(file, 'utf8')
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: {'))
  const spoken = new RegExp(`"${fixture === 'reasoning' ? 'reasoning_content' : 'content'}":"[^"]`)
  const texts = frames.filter((frame) => spoken.test(frame))
  const first = frames[0] as string
  const last = frames.at(-1) as string
  const middle = Array.from({ length: EVENTS }, (_, i) => texts[i % texts.length] as string).map((frame, i) =>
    name === 'random' ? frame.replace('{', `{"nonce":"${((i * 2_654_435_761) % 4_294_967_296).toString(36)}",`) : frame,
  )
  return [first, ...middle, last, 'data: [DONE]', ''].join('\n\n')
}

export function cut(stream: string, size: number): readonly Uint8Array[] {
  const encoder = new TextEncoder()
  if (size === 0) return stream.split(/(?<=\n\n)/).map((frame) => encoder.encode(frame))
  const bytes = encoder.encode(stream)
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.slice(i * size, (i + 1) * size))
}
