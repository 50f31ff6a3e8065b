import { describe, expect, it } from 'vitest'
import { encodedFor } from './encoded-call.ts'

/** Places that losses name: those of the client's body, also where entries before them were removed or moved. */

const user = (content: string) => ({ role: 'user', content })
const system = (content: string) => ({ role: 'system', content })
const REASONING = { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'r' }] }

const placesOf = (losses: readonly string[]): readonly string[] =>
  losses.map((loss) => loss.replace(/:.*/, '')).toSorted()

const MODES = [
  ['passed', true],
  ['translated', false],
] as const

describe.each(MODES)('the body of a Responses client that is %s', (_, passthrough) => {
  const toQwen = (input: readonly object[]) =>
    encodedFor('openai', 'qwen3-8b', { input, store: false }, { passthrough })

  it('has the places of late system messages behind removed reasoning', () => {
    const { body, losses } = toQwen([user('a'), REASONING, user('b'), system('late')])
    expect(body.input.map(({ role }: { role: string }) => role)).toEqual(['user', 'user', 'user'])
    expect(placesOf(losses)).toEqual(['input[1] dropped', 'input[3] mapped'])
  })

  it('has them behind system messages that became instructions, too', () => {
    const { body, losses } = toQwen([system('early'), REASONING, user('a'), REASONING, system('late'), user('b')])
    expect(body.instructions).toBe('early')
    expect(placesOf(losses)).toEqual(['input[1] dropped', 'input[3] dropped', 'input[4] mapped'])
  })
})
