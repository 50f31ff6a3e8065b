import type { Destination, DestinationConfig } from '../../observability/destination.ts'
import {
  DESTINATION_FIELDS,
  type DestinationField,
  type DestinationFields,
} from '../../observability/destination-types.ts'
import { lookup } from '../../text/lookup.ts'
import type { Workspaces } from '../auth/workspaces.ts'
import type { DestinationEntry, SecretEntry } from '../config/destinations.ts'
import { type Env, readSecret } from '../config/secrets.ts'

/**
 * Builds the destinations of a configuration and reads their secrets. Throws an Error with the path of a missing
 * secret.
 */
export const toDestinations = (
  entries: readonly DestinationEntry[],
  workspaces: Workspaces,
  env: Env,
): readonly Destination[] => entries.map((entry, index) => toDestination(entry, index, workspaces, env))

/** Does the same for the destination at this index. */
export const toDestination = (
  { workspace, created_at, updated_at = created_at, ...entry }: DestinationEntry,
  index: number,
  workspaces: Workspaces,
  env: Env,
): Destination => ({
  ...entry,
  id: entry.id?.toLowerCase() ?? workspaces.idOf(['destination', entry.type, entry.name ?? '', index].join(' ')),
  workspace_id: workspaces.idOf(workspace ?? null),
  created_at: new Date(created_at).toISOString(),
  updated_at: new Date(updated_at).toISOString(),
  config: toConfig(entry, `destinations[${index}].config`, env),
})

function toConfig(
  { type, config }: Pick<DestinationEntry, 'type' | 'config'>,
  path: string,
  env: Env,
): DestinationConfig {
  const fields: DestinationFields = DESTINATION_FIELDS[type]
  const { headers, ...values } = config
  const read = (name: string, value: SecretEntry): readonly [string, string] => [
    name,
    checked(lookup(fields, name), readSecret(value, `${path}.${name}`, env), `${path}.${name}`),
  ]
  const own = Object.entries((headers ?? {}) as Readonly<Record<string, SecretEntry>>)
  return {
    ...Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) =>
        value === undefined ? [] : [read(name, value as SecretEntry)],
      ),
    ),
    ...(headers === undefined ? {} : { headers: Object.fromEntries(own.map(([name, value]) => read(name, value))) }),
  }
}

/** The schema of the file cannot check a value that comes from an environment variable. */
function checked(field: DestinationField | undefined, value: string, path: string): string {
  if (field?.pattern !== undefined && !new RegExp(field.pattern).test(value)) {
    throw new Error(`${path}: expected a string that matches ${field.pattern}`)
  }
  return value
}
