import type { EffortStep } from '../../models/facts.ts'
import { EFFORT_LEVELS } from '../../protocol/request.ts'
import type { Reading, Taught } from './refusal.ts'

// ---------------------------------------------------------------- steps of effort

const LEVELS: readonly string[] = EFFORT_LEVELS
const isStep = (word: string): word is EffortStep => word !== 'none' && LEVELS.includes(word)

const levelsIn = (text: string): readonly string[] => [
  ...new Set(
    (text.slice(0, 300).match(/[a-z]+/gi) ?? [])
      .map((word) => word.toLowerCase())
      .filter((word) => LEVELS.includes(word)),
  ),
]

/** The steps of effort that a refusal lists. Without `none`, reasoning cannot be turned off. */
export function effortsIn(list: string, refused?: string): readonly Taught[] {
  const found = levelsIn(list).filter((level) => level !== refused)
  if (found.length === 0) return []
  const efforts = found.filter(isStep)
  // "must be one of `none` or `default`" (Groq): on or off.
  if (efforts.length === 0 && /\bdefault\b/i.test(list))
    return [{ facts: { reasons: 'optional', reasoningBy: 'switch' } }]
  return [{ facts: { reasons: found.includes('none') ? 'optional' : 'always', reasoningBy: 'effort', efforts } }]
}

/** The same of a protocol that turns reasoning off by another member, such as Messages: the list does not decide that. */
export const effortsAlone = (list: string, refused?: string): readonly Taught[] =>
  effortsIn(list, refused).map(({ facts: { reasons: _, ...facts } = {} }) => ({ facts }))

/** One step of effort is refused, and the others are not named. */
export function withoutLevel(level: string): readonly Taught[] {
  if (!LEVELS.includes(level)) return []
  const efforts = (['low', 'medium', 'high'] as const).filter((step) => step !== level)
  return [{ facts: { ...(level === 'none' ? { reasons: 'always' } : {}), reasoningBy: 'effort', efforts } }]
}

const VERBOSITIES = ['low', 'medium', 'high'] as const

/** The values of verbosity that a refusal lists. */
export function verbositiesIn(list: string, refused?: string): readonly Taught[] {
  const found = levelsIn(list)
  const verbosities = VERBOSITIES.filter((word) => word !== refused && found.includes(word))
  return verbosities.length === 0 ? [] : [{ facts: { verbosities } }]
}

// ---------------------------------------------------------------- lists of values

/** Words before the values that an upstream accepts, the plainest first: not those of `'minimal' is not a supported level`. */
const LISTS = [
  /(?<!\bnot )(?<!\bnot an? )\b(?:supported|allowed|valid|accepted|available|possible|permitted)(?: (?:\w{1,20} ){0,3}?\w{0,20}(?: are| is| include|:)|:)/i,
  /\b(?:one of|should be|must be|expected|choose|supports|only|use)\b/i,
] as const

/** The end of a sentence, or of the list before what was sent: pydantic appends `[type=…, input_value=…]`. */
const LIST_END = /\.(?:\s|$)|\[type=|, (?:but )?got\b|\breceived\b|\binstead\b|\n/i

/** The part of a message that lists what its upstream accepts; empty if it has none. */
export function listIn(text: string): string {
  const start = LISTS[0].exec(text) ?? LISTS[1].exec(text)
  if (start === null) return ''
  const rest = text.slice(start.index + start[0].length, start.index + start[0].length + 300)
  const end = LIST_END.exec(rest)
  return end === null ? rest : rest.slice(0, end.index)
}

// ---------------------------------------------------------------- limits

/** Limits beyond these are no limits of a model. */
const LEAST_MOST = 256
const MOST_LEAST = 1024

const mostOutput = (most: number): readonly Taught[] => (most >= LEAST_MOST ? [{ facts: { mostOutput: most } }] : [])
const leastOutput = (least: number): readonly Taught[] =>
  least <= MOST_LEAST ? [{ facts: { leastOutput: least } }] : []

/** Numbers alone, also with separators. Those in names of models are not. */
const NUMBERS = /(?<![\w.,-])\d{1,3}(?:,\d{3}){1,3}(?![\w-]|,\d)|(?<![\w.,-])\d{1,9}(?![\w-]|[.,]\d)/g

interface Numeral {
  readonly value: number
  readonly after: string
}

const numbersIn = (text: string): readonly Numeral[] =>
  [...text.matchAll(NUMBERS)].map((match) => ({
    value: Number(match[0].replaceAll(',', '')),
    after: text.slice(match.index + match[0].length, match.index + match[0].length + 12),
  }))

const inclusive = ({ value, after }: Numeral): number => (/^ ?\(exclusive/i.test(after) ? value - 1 : value)

/** The rest of the window for this conversation: `30000 > 32768 - 4096` (vLLM), `4096 + 30000 > 32768` (Claude). */
const BEHIND = /\d{1,9} > (\d{1,9}) - (\d{1,9})/
const BEFORE = /(\d{1,9}) \+ \d{1,9} > (\d{1,9})/

const IS_MOST =
  /\b(?:large|most|max|maximum|exceeds?|above|less|limit|limited|up to|range|between|no more|smaller)\b|[>≤]|<=/i
const IS_LEAST = /\b(?:small|least|min|minimum|below|greater|range|between|no less|larger)\b|[<≥]|>=/i

function windowIn(text: string): { readonly all: number; readonly prompt: number } | null {
  const [, all, prompt] = BEHIND.exec(text) ?? []
  const [, first, whole] = all === undefined ? (BEFORE.exec(text) ?? []) : [null, prompt, all]
  return whole === undefined ? null : { all: Number(whole), prompt: Number(first) }
}

/** A limit that a number which was sent does not keep. */
type Limit = { readonly most: number } | { readonly least: number }

/** The limit that a message names for a number. Null: it names none, or several. */
function limitIn(text: string, sent: number): Limit | null {
  const others = numbersIn(text).filter(({ value }) => value !== sent)
  const below = new Set(others.map(inclusive).filter((value) => value < sent))
  const above = new Set(others.map(({ value }) => value).filter((value) => value > sent))
  const [most = 0] = [...below].sort((one, other) => other - one)
  const [least = 0] = [...above].sort((one, other) => one - other)
  if (IS_MOST.test(text) && most > 1) return { most }
  return IS_LEAST.test(text) && least > 0 ? { least } : null
}

/** The limit of the output that a message names. */
export function outputLimitIn(text: string, sent: number): readonly Reading[] {
  const left = windowIn(text)
  if (left !== null) {
    const most = left.all - left.prompt
    return most > 0 ? [{ scope: 'request', facts: { mostOutput: most } }] : []
  }
  // The window of the model, which the prompt shares.
  if (/\bcontext\b/i.test(text)) return []
  const limit = limitIn(text, sent)
  if (limit === null) return []
  return 'most' in limit ? mostOutput(limit.most) : leastOutput(limit.least)
}

/** The limits of a budget for reasoning that a message names: the model has budgets. */
export function budgetIn(text: string, sent: number): readonly Taught[] {
  const limit = limitIn(text, sent)
  if (limit === null) return []
  const bound = 'most' in limit ? { mostBudget: limit.most } : { leastBudget: limit.least }
  return [{ facts: { reasoningBy: 'budget', ...bound } }]
}
