import {
  HTTP_FRAMINGS,
  type HttpFraming,
  properEnding,
  type RawAnswer,
  type RawRequest,
  startRawUpstream,
  writeAnswer,
} from '../test/mock-upstreams/raw-http.ts'

/** The answers of an upstream, by the number that the name of the model is. */
export interface PacedAnswers {
  /** The name in its chunks. */
  readonly name: string
  /** The most connections that wait to be accepted. */
  readonly backlog: number
  /** The number of chunks of an answer. */
  countOf(number: number): number
  textOf(number: number, at: number): string
}

/**
 * Serves chat streams, one chunk each `chunkMs` milliseconds, in a forked process: sends its URL to the parent, and ends
 * with it.
 */
export function servePacedAnswers({ name, backlog, countOf, textOf }: PacedAnswers, chunkMs: number): void {
  const chunk = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({
      id: `chatcmpl-${name}`,
      object: 'chat.completion.chunk',
      created: 1_764_000_000,
      model: name,
      choices: [{ index: 0, delta, finish_reason: finish }],
    })}\n\n`
  const end = `${chunk({}, 'stop')}data: [DONE]\n\n`

  /** One piece for each chunk, and the end with the last of them. */
  const answerOf = (number: number): RawAnswer => {
    const count = countOf(number)
    const texts = Array.from({ length: count }, (_, at) => chunk({ content: textOf(number, at) }))
    const pieces = texts.map((text, at) => Buffer.from(at === count - 1 ? text + end : text))
    // The framings of HTTP/1 take turns.
    const framing = HTTP_FRAMINGS[number % HTTP_FRAMINGS.length] as HttpFraming
    return {
      framing,
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: Buffer.concat(pieces),
      piece: pieces.map(({ length }) => length),
      cut: null,
      ending: properEnding(framing),
    }
  }

  const pacing = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, chunkMs))
  const answer = ({ body, socket }: RawRequest): Promise<void> =>
    writeAnswer(socket, answerOf(Number((JSON.parse(body) as { readonly model: string }).model)), pacing)
  startRawUpstream(answer, { backlog }).then(
    ({ url }) => process.send?.(url),
    () => process.exit(1),
  )
  process.on('disconnect', () => process.exit())
}
