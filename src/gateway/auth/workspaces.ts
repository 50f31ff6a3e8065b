import { isUuid } from '../../observability/list.ts'
import type { Sign } from '../../responses/encrypted-content.ts'
import { fromHex, joined, toHex } from '../../text/bytes.ts'
import type { Config } from '../config/config.ts'
import type { Hashes } from '../hashes.ts'

/** The name of the default workspace if none is configured. */
const DEFAULT_WORKSPACE = 'default'

/** A namespace of its own makes the derived ids unique (RFC 9562, version 5). */
const NAMESPACE = fromHex('d1f6b0a67d0b4f0c8b6e5a3f2c917e44')

export interface Workspaces {
  /** The uuid of a workspace by its configured id; null: the default workspace. */
  idOf(workspace: string | null): string
}

/**
 * The default workspace is the one marked as default, else the first, else an implicit one. Each id is derived once for
 * every workspace that a key of the configuration names, because every request needs one.
 */
export function toWorkspaces(entries: Config['workspaces'], hashes: Hashes): Workspaces {
  const marked = entries.find((entry) => entry.default) ?? entries[0]
  const ids = new Map<string, string>()
  return {
    idOf(workspace) {
      const name = workspace ?? marked?.id ?? DEFAULT_WORKSPACE
      const id = ids.get(name) ?? toWorkspaceId(name, hashes)
      ids.set(name, id)
      return id
    },
  }
}

/** Keeps an id that is a uuid, and derives a uuid from any other id. The result is always the same. */
export function toWorkspaceId(id: string, { sha1 }: Hashes): string {
  if (isUuid(id)) return id.toLowerCase()
  const bytes = sha1(joined(NAMESPACE, new TextEncoder().encode(id))).slice(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/**
 * Returns the HMAC-SHA-256 of the workspace and the text in hexadecimal digits, so that an envelope is invalid in every
 * other workspace.
 */
export const createSigner =
  (secret: string | Uint8Array, hashes: Hashes) =>
  (workspaceId: string): Sign =>
  (text) =>
    hashes.hmac(secret, `${workspaceId}\n`, text)
