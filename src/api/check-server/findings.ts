import type { AnswerContents } from '../../conformance/protocols/answer.ts'

export interface FoundViolation {
  /** Number of the frame from 0; null if the violation concerns the whole answer. */
  readonly frame: number | null
  readonly rule: string
  readonly message: string
}

export interface CheckedAnswer {
  readonly violations: readonly FoundViolation[]
  readonly summary: AnswerContents
}

/** Something that is wrong with an answer. */
export interface RowFinding {
  /** The name of a rule of the grammar, or of a check of whole exchanges. */
  readonly rule: string
  /** The request of the row: `streamed`, `whole`, or its place. */
  readonly form: string
  readonly message: string
}

export type Severity = 'error' | 'warning'

export interface CheckFinding extends RowFinding {
  readonly severity: Severity
}

/** Rules whose violation no client notices, or that a model may explain. All others are errors. */
const WARNINGS: ReadonlySet<string> = new Set(['parameter', 'models', 'error-type', 'tools', 'image', 'stop'])

export const withSeverity = (finding: RowFinding): CheckFinding => ({
  ...finding,
  severity: WARNINGS.has(finding.rule) ? 'warning' : 'error',
})

/** The checks of whole exchanges, beside the rules of streams and bodies. */
export const EXCHANGE_RULES = {
  connection: 'the server answers each request',
  status: 'a valid request is answered with status 200, an invalid one with a status from 400',
  'content-type': 'the content type names the form of the answer',
  same: 'an answer is the same streamed and whole',
  promise: 'the answer has what its request demands of the server',
  recall: 'the answer names what the instructions, a message or the result of a call has',
  image: 'the answer names the color of an image',
  pieces: 'the pieces of a long stream arrive while the rest is generated',
  tools: 'some request with tools is answered with a call',
  stop: 'a text ends at its stop sequence',
  mixed: 'concurrent answers are not confused',
  key: 'no answer repeats the key of its request',
  'error-body': 'the body of an error has the form of the protocol',
  'error-type': 'the body of an error has the content type of JSON',
  parameter: 'the error of an invalid member names it',
  models: 'the list of models has the protocol’s form',
  cancel: 'the server answers on after a request that its client has cancelled',
  socket: 'a WebSocket has the events of a stream',
} as const
