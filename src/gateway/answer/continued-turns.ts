import type { TurnAnswer } from '../../engine/answer.ts'
import {
  type ContinuationCommand,
  type ContinuationInput,
  continuation,
  hasTurnFailed,
  isContinuationCommand,
} from '../../engine/continuation.ts'
import { redacting } from '../../engine/hooks.ts'
import type { TurnMachine } from '../../engine/turns.ts'
import type { Origin } from '../../responses/encrypted-content.ts'
import type { CurrentCall } from '../call/attempts.ts'
import type { Prepared } from '../call/prepare-request.ts'
import type { Turns } from '../call/turns.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { fallsBack } from '../upstream/retry.ts'

/** The further upstreams of an answer whose upstream dies. */
export interface Continuation {
  /** Prepares the next one for the rest; null if there is none. `earlier`: the texts of the messages so far. */
  next(earlier: readonly string[], died: Died): Promise<Continued | null>
}

type Died = Extract<ContinuationCommand, { readonly kind: 'died' }>

interface Continued {
  readonly prepared: Prepared
  /** The loss that names both upstreams and the place. */
  readonly feature: string
}

type ContinuedAnswer<Piece> = TurnAnswer<Piece, ContinuationInput, ContinuationCommand>

export const continuationMachine: TurnMachine<ContinuationInput, ContinuationCommand> = {
  ...(continuation as Pick<TurnMachine<ContinuationInput, ContinuationCommand>, 'initial' | 'step'>),
  isCommand: isContinuationCommand,
  isLast: ({ kind }) => kind === 'over',
  hasFailed: (state) => hasTurnFailed(state as Parameters<typeof hasTurnFailed>[0]),
}

/** The turns of an answer that further upstreams may continue. `origin`: that of the answer, which changes with its upstream. */
export function continuedTurns<Piece, Whole extends ContinuedAnswer<Piece>>(
  answer: Whole,
  further: Continuation,
  { signal, reply, journal }: RequestContext,
  call: CurrentCall,
  origin: Origin,
): Turns<Piece, Whole> {
  type Write = Parameters<Turns<Piece, Whole>['next']>[0]
  const apply = (input: ContinuationInput, write: Write): Promise<readonly ContinuationCommand[]> =>
    new Promise((resolve) =>
      write(() => {
        const { piece, commands } = answer.apply(input)
        resolve(commands)
        return piece
      }),
    )
  const goOn = async (died: Died, write: Write): Promise<Prepared | null> => {
    const { error, wrote } = died
    call.failure = error
    if (!wrote) journal.mark('wrote nothing')
    const earlier = answer.texts()
    const text = earlier.at(-1) ?? ''
    // A client that has received nothing needs no continuation: the request is sent again.
    if (earlier.length === 0 && !reply.hasStarted()) return null
    if (signal.aborted || !fallsBack(error) || answer.outcome().error !== null) return null
    const next = await further.next(earlier, died)
    if (next === null || signal.aborted || answer.progress.over()) return null
    await apply({ kind: 'continued', text, feature: next.feature }, write)
    const { wire, quirks, redact, origin: other } = next.prepared.options
    Object.assign(origin, { boundary: undefined, isShared: undefined }, other)
    answer.openTurn({ wire: redacting(wire, redact), quirks: quirks ?? {} })
    return next.prepared
  }
  return {
    answer,
    async next(write) {
      if (answer.progress.over()) return null
      const commands = await apply({ kind: 'turn ended' }, write)
      const died = commands.find((one) => one.kind === 'died')
      if (died !== undefined) {
        const next = await goOn(died, write)
        if (next !== null) return next
        await apply({ kind: 'given up' }, write)
      }
      write(() => answer.close(signal.reason ?? undefined))
      return null
    },
  }
}
