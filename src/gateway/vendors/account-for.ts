import { upstreamModel } from '../../models/model-facts.ts'
import { factsOf } from '../../wires/shared/upstream/model-facts.ts'
import type { LearningRequest } from '../upstream/restriction-memory.ts'
import type { VendorAccount } from './accounts.ts'

/** The account on the wire that alone serves the model, else on that of the client, else the main one. */
export function accountFor(main: VendorAccount, model: string, client: string | undefined): VendorAccount {
  const { servedBy } = factsOf({ model, quirks: main.quirks }, main.wire.name)
  const needed = servedBy === undefined || servedBy === main.wire.name ? undefined : main.others.get(servedBy)
  return needed ?? (client === undefined ? main : (main.others.get(client) ?? main))
}

/** The requests of a conversation to a model of this account, as far as restrictions of refusals depend on them. */
export const learnerOf = (
  { name: vendor, wire, identity }: VendorAccount,
  model: string,
  conversation: LearningRequest['conversation'],
): LearningRequest => ({ vendor, wire: wire.name, model: upstreamModel(model), identity, conversation })
