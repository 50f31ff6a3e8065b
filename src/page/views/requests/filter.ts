import type { RequestEntry } from '../../../page-api/request-entry.ts'
import { isPassed, stateOf } from './format.ts'

type Test = (entry: RequestEntry) => boolean

const FIELDS: ReadonlyMap<string, (entry: RequestEntry) => string> = new Map<string, (entry: RequestEntry) => string>([
  ['id', ({ id }) => id],
  ['model', ({ model, upstreamModel }) => `${model ?? ''} ${upstreamModel ?? ''}`],
  ['client', ({ client, dialect }) => `${client ?? ''} ${dialect ?? ''}`],
  ['vendor', ({ vendor, attempts }) => [vendor ?? '', ...attempts.map((attempt) => attempt.vendor)].join(' ')],
  ['wire', ({ wire }) => wire ?? ''],
  ['key', ({ key }) => key ?? ''],
  ['path', ({ path }) => path],
  ['status', ({ status }) => String(status ?? '')],
  ['error', ({ error, attempts }) => [error ?? '', ...attempts.map((attempt) => attempt.error ?? '')].join(' ')],
  ['loss', ({ losses }) => losses.join(' ')],
])

const STATES: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['running', ({ running }) => running],
  ['failed', (entry) => stateOf(entry).name === 'failed'],
  ['passed', (entry) => isPassed(entry) === true],
  ['translated', (entry) => isPassed(entry) === false],
  ['lossy', ({ losses }) => losses.length > 0],
  ['retried', ({ attempts }) => attempts.length > 1],
])

/** The words before the colon of a filter, and those after `is:`, for the help of the page. */
export const REQUEST_FILTERS: readonly string[] = [...FIELDS.keys()]
export const FILTER_STATES: readonly string[] = [...STATES.keys()]

/**
 * Parses a filter: words that an entry must contain. `field:word` tests one field, `is:state` a state, and a minus before
 * either excludes. Upper and lower case are the same.
 */
export function parseFilter(filter: string): Test {
  const words = filter.toLowerCase().split(/\s+/)
  const tests = words.filter((word) => word !== '' && word !== '-').map(toTest)
  return (entry) => tests.every((test) => test(entry))
}

function toTest(word: string): Test {
  if (word.startsWith('-')) {
    const test = toTest(word.slice(1))
    return (entry) => !test(entry)
  }
  const [name = '', value = ''] = word.split(/:(.*)/s)
  const state = name === 'is' ? STATES.get(value) : undefined
  if (state !== undefined) return state
  const field = word.includes(':') ? FIELDS.get(name) : undefined
  if (field !== undefined) return (entry) => field(entry).toLowerCase().includes(value)
  return (entry) => [...FIELDS.values()].some((read) => read(entry).toLowerCase().includes(word))
}

const wordsOf = (filter: string): readonly string[] => filter.split(/\s+/).filter((word) => word !== '')

export const hasWord = (filter: string, word: string): boolean => wordsOf(filter.toLowerCase()).includes(word)

export const toggleWord = (filter: string, word: string): string =>
  (hasWord(filter, word)
    ? wordsOf(filter).filter((one) => one.toLowerCase() !== word)
    : [...wordsOf(filter), word]
  ).join(' ')
