import { REFUSAL_ROWS } from '../../src/engine/rules/refusals.ts'
import { RULE_DESCRIPTIONS } from '../../src/engine/rules/rule-descriptions.ts'
import { RULE_NAMES } from '../../src/engine/rules/rules.ts'
import { table } from './markdown.ts'

/** What a refusal changes that is no rule, by the names of the sentences. */
const OTHERS = {
  'names of tools': 'tools have names that fit, and calls the client’s own again (quirk `toolNames`)',
  'names of parameters':
    'parameters of functions have names that fit, and calls the client’s own again (`parameterNames`)',
  'texts of messages': 'messages have plain texts (quirk `plainContent`)',
  'turns of roles': 'messages of one role are joined, and the first one is of the user (quirk `strictTurns`)',
  'server tools beside functions': 'tools of the server are dropped beside functions (`mixesTools`)',
  'system messages': 'the first message of the user has the text of the system messages (`systemInstruction`)',
  'prompt caches': 'cache breakpoints are left out (`caches`)',
  members: 'the member is left out (quirk `refusesMembers`)',
  'reasoning summaries': 'summaries of the reasoning are not requested with this key',
  betas: 'the words of `anthropic-beta` are left out (quirk `refusesBetas`)',
} as const

const learned: ReadonlySet<string> = new Set(Object.keys(REFUSAL_ROWS))

/** Every rule, in the order in which a request is mended. */
export function ruleTable(): string {
  const stray = Object.keys(RULE_DESCRIPTIONS).find((name) => !RULE_NAMES.includes(name))
  if (stray !== undefined) throw new Error(`engine/rules/rule-descriptions.ts: there is no rule "${stray}"`)
  return table(
    ['rule', 'upstreams', 'change', 'learned from refusals'],
    RULE_NAMES.map((name) => {
      const words = RULE_DESCRIPTIONS[name]
      if (words === undefined) throw new Error(`engine/rules/rule-descriptions.ts: the rule "${name}" has no words`)
      return [name, words.upstreams, words.change, learned.has(name) ? 'yes' : '']
    }),
  )
}

/** The refusals that teach something else. */
export function otherRefusalTable(): string {
  const rules = new Set(RULE_NAMES)
  const others = [...learned].filter((name) => !rules.has(name))
  return table(
    ['refusal of', 'change'],
    others.map((name) => {
      const words = Object.entries(OTHERS).find(([other]) => other === name)?.[1]
      if (words === undefined) throw new Error(`docs/sections/rules.ts: no words for the refusal of ${name}`)
      return [name, words]
    }),
  )
}
