import type { Machine } from '../../machine/machine.ts'
import type { Delta } from '../../protocol/delta.ts'
import type { GatewayError } from '../../protocol/error.ts'
import type { Loss } from '../../protocol/loss.ts'
import type { Request } from '../../protocol/request.ts'
import type { PathMap } from '../../protocol/source-map.ts'
import type { Sign } from '../../responses/encrypted-content.ts'
import type { ParseContext } from '../../search/options.ts'
import type { SearchPlan, SearchPolicy } from '../../search/plan.ts'
import type { Steps } from '../../text/steps.ts'
import type { UpstreamContext, Wire } from '../../wires/contract.ts'
import type { Quirks } from '../../wires/quirks.ts'
import type { ClientRequest } from '../client-request.ts'
import type { RequestRule } from '../rules/rule.ts'

/** The web search of a request as it was read (`readSearch`), and the engines that can make it. */
interface RequestedSearch {
  readonly parsed: ParseContext
  readonly policy: SearchPolicy
}

/** The upstream of an exchange, and the web search that the client requests; null if no search was read. */
export interface PassContext {
  readonly wire: Wire
  readonly quirks: Quirks
  readonly model: string
  /** Opens the sealed reasoning of the upstream. Left out: all of it is its own. */
  readonly open?: UpstreamContext['open'] | undefined
  readonly sign: Sign | undefined
  readonly search: RequestedSearch | null
  /** The rules of the program, which follow the known ones. Left out: none. */
  readonly rules?: readonly RequestRule[] | undefined
}

/** A request after a pass, or the reason why it cannot be sent. */
export type Passed =
  | {
      readonly ok: true
      readonly request: Request
      /** The losses of the pass, with paths of the request before; a function if they depend on those of what follows. */
      readonly losses: readonly Loss[] | ((later: readonly Loss[]) => readonly Loss[])
      /** Translates paths of the changed request to those of the one before. Left out: they are the same. */
      readonly toEarlier?: PathMap
    }
  | { readonly ok: false; readonly error: GatewayError }

/** The work of a pass in one exchange. */
export interface PlannedPass {
  /** The client's request after it, for the whole exchange. Left out: the same. */
  readonly client?: ClientRequest
  /** The reason why the client's request is refused, with the path of `client`. */
  readonly refusal?: GatewayError
  /** The search that the gateway makes itself. */
  readonly search?: SearchPlan | null
  /** Changes each request of the exchange before it is encoded. Left out: requests stay as they are. */
  readonly apply?: (request: Request, target: UpstreamContext) => Passed | Steps<Passed>
  /** Converts the deltas of the answer back. Passes with equal work have the same machine. */
  readonly back?: Machine<unknown, Delta, Delta>
  /** The client's own body requests something else, and the text of the answer is not written as it arrives. */
  readonly replaces?: true
}

/**
 * Changes a request for an upstream that lacks something: it is sent in another form, or is a loss. `client`: the
 * request after the passes before. Null: the exchange needs no such change.
 */
export type Pass = (client: ClientRequest, context: PassContext) => PlannedPass | null
