import type { Usage } from '../../protocol/usage.ts'
import type { Quirks } from '../quirks.ts'
import { type ThinkState, thinkStart } from '../think.ts'
import { type Details, NO_ENTRIES } from './reasoning.ts'

/** A JSON object of a vendor: any field may be anything. */
export type Bag = Readonly<Record<string, unknown>>

export interface ChatState {
  readonly model: string
  /** The call that a fragment without index belongs to, its id and name, and how many calls without index have begun. */
  readonly call: string
  readonly callId: string
  readonly callName: string
  readonly calls: number
  /** reasoning_details that have not been sealed yet. */
  readonly details: Details
  /** How many numbered sources have been told. */
  readonly sources: number
  /** As the vendor counts. */
  readonly usage: Usage | null
  readonly spoke: boolean
  readonly finished: boolean
  readonly over: boolean
  readonly think: ThinkState
  /** A whole answer, and no stream. */
  readonly whole: boolean
  /** JSON was asked for. */
  readonly json: boolean
}

export const initialState = (quirks: Quirks): ChatState => ({
  model: '',
  call: '',
  callId: '',
  callName: '',
  calls: 0,
  details: NO_ENTRIES,
  sources: 0,
  usage: null,
  spoke: false,
  finished: false,
  over: false,
  think: thinkStart(quirks),
  whole: false,
  json: quirks.jsonAnswer === true,
})
