import type { ServerDescription } from '../../../../page-api/description.ts'
import type { LiveProtocol } from '../answer/protocols.ts'
import { upstreamOf, wireOfProtocol } from '../client-paths.ts'

interface TargetNoteProps {
  readonly description: ServerDescription
  readonly protocol: LiveProtocol
  readonly model: string
}

/** The models of the vendor `replay` are recordings. */
export const RECORDING_PREFIX = 'replay/'

/** The protocols that the upstream of the model speaks, and what becomes of the request there. */
export function TargetNote({ description, protocol, model }: TargetNoteProps) {
  return <p class="live-target">{noteOf(description, protocol, model)}</p>
}

function noteOf(description: ServerDescription, protocol: LiveProtocol, model: string): string {
  const vendor = upstreamOf(description, model)
  if (vendor !== null) {
    const passes = vendor.wires.includes(wireOfProtocol(protocol))
    return `Upstream ${vendor.name} speaks ${vendor.wires.join(', ')}: the request ${passes ? 'passes through' : 'is translated'}.`
  }
  if (model.startsWith(RECORDING_PREFIX)) return 'Plays a recorded stream, whatever the request contains.'
  if (description.models.includes(model)) return 'A rule of the configuration selects the upstream.'
  return 'The name selects the provider: provider/model.'
}
