/** The rules of every stream. Their names are part of the public result. */
export const RULES = {
  event: 'every event is an event of the stream',
  columns: 'every event has its required fields, with values of the right type',
  opening: 'created comes first and once, in_progress directly after it',
  response: 'the response object has its required fields',
  status: 'the status of the response matches its event, and its error and incomplete_details match its status',
  identity: 'ids, call ids, names and creation times never change',
  unique: 'no two items share an id or a call id',
  index: 'indices count up from 0, without gaps',
  added: 'items and parts are empty when they are added',
  scope: 'an event refers to an open item and part',
  place: 'an event refers to an item and part of its own type',
  item: 'a finished item has its required fields',
  part: 'a part has a permitted type and its required fields',
  annotation: 'an annotation has its required fields, and its range is inside the text',
  usage: 'usage has its required fields',
  text: 'text that is repeated equals its joined deltas',
  arguments: 'the input of a call is sent as a whole, equals its joined deltas, and is JSON if the call is complete',
  annotations: 'a finished part has the annotations of its events',
  phase: 'the phase of a hosted call only moves forward, and ends once',
  open: 'every item, part and text that is opened is closed',
  output: 'the output of the response is the list of its finished items, in order',
  terminal: 'the response ends once, and no event follows',
  error: 'an error has a message, and only the failed response follows',
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
  return value === undefined ? 'missing' : String(value)
}
