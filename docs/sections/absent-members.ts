import { ABSENCE_DESCRIPTIONS, SETTLED_MEMBERS } from '../../src/wires/absent-descriptions.ts'
import { ABSENT_MEMBERS, meaningIn } from '../../src/wires/absent-members.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { codes, table } from './markdown.ts'

type Words<Value> = (value: Value) => string

const WORDS: { readonly [M in keyof typeof ABSENT_MEMBERS]: Words<ReturnType<typeof meaningIn<M>>> } = {
  strict: (value) => (value === false ? 'not strict' : 'strict where the schema can be'),
  formatStrict: (value) => (value === false ? 'does not bind the response' : 'the schema binds the response'),
  summary: (value) => (value === null ? 'none' : 'the reasoning is shown'),
  truncation: (value) => (value === 'disabled' ? 'a conversation that is too long fails' : 'its beginning is left out'),
  cacheKey: () => 'the beginning of the prompt decides',
  cache: (value) => (value === 'implicit' ? 'prompts are cached' : 'nothing is cached'),
}

const PROTOCOLS = Object.keys(WIRES) as WireName[]

/** The meanings, the most frequent first, each with its protocols. */
function meanings(meaning: Words<WireName>): string {
  const groups = new Map<string, WireName[]>()
  for (const wire of PROTOCOLS) groups.set(meaning(wire), [...(groups.get(meaning(wire)) ?? []), wire])
  const [first, ...others] = [...groups].sort((a, b) => b[1].length - a[1].length)
  if (first === undefined) return ''
  return [first[0], ...others.map(([words, wires]) => `${codes(wires)}: ${words}`)].join('; ')
}

const wordsOf = <M extends keyof typeof ABSENT_MEMBERS>(member: M) =>
  meanings((wire) => WORDS[member](meaningIn(member, wire)))

/** Every member whose absence has a meaning, and what becomes of it between two protocols. */
export const absentTable = (): string =>
  table(
    ['field', 'left out, it means', 'between two protocols'],
    [
      ...(Object.keys(ABSENT_MEMBERS) as (keyof typeof ABSENT_MEMBERS)[]).map((name) => {
        const { member, translated } = ABSENCE_DESCRIPTIONS[name]
        return [member, wordsOf(name), translated]
      }),
      ...SETTLED_MEMBERS.map(({ member, usual, but, translated }) => [
        member,
        meanings((wire) => but[wire] ?? usual),
        translated,
      ]),
    ],
  )
