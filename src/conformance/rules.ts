/** The rules of every stream. Their names are part of the public result. */
export const RULES = {
  event: 'every event is one that the stream can say',
  columns: 'every event has the fields of its row',
  opening: 'created comes first and once, in_progress directly after it',
  response: 'the response object is whole',
  status: 'the response has the status of its event, and gives the reasons for it',
  identity: 'ids, call ids, names and creation times never change',
  unique: 'no two items share an id or a call id',
  index: 'indices count up from 0, without holes',
  added: 'items and parts open empty',
  scope: 'an event stands inside its open item and part',
  place: 'an event stands in an item and part of its own type',
  item: 'a finished item is whole',
  part: 'a part is whole',
  annotation: 'an annotation is whole and points at text that exists',
  usage: 'usage is whole',
  text: 'text that is told again is the text that was told',
  arguments: 'the input of a call is told as a whole, is its deltas joined, and is JSON if the call is complete',
  annotations: 'the annotations of a finished part are those of its events',
  phase: 'a hosted call goes forward only and ends once',
  open: 'whatever is opened is closed',
  output: 'the output of the response is its finished items, in order',
  terminal: 'the response ends once, and nothing follows',
  error: 'an error says why, and only the failed response follows',
} as const

export type Rule = keyof typeof RULES

export interface Violation {
  readonly rule: Rule
  readonly message: string
}

export type Report = (rule: Rule, message: string) => void

const MAX_SHOWN = 60

/** Formats a value for a message: short, and without reading the inside of objects and lists, however deep they are. */
export function show(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value)
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  return value === undefined ? 'nothing' : String(value)
}
