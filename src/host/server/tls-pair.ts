import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { createSecureContext, Server as TlsServer } from 'node:tls'
import type { Config } from '../../gateway/config/config.ts'
import type { Log } from '../../gateway/telemetry/log.ts'

type TlsFiles = Config['listen']['tls']

/** A certificate, with those of its issuers after it, and its key. Both in PEM. */
export interface TlsPair {
  readonly cert: Buffer
  readonly key: Buffer
}

/**
 * Reads the files of the configuration; null if it has none. Throws an Error that names the option whose file cannot be
 * read, or the reason why the two do not fit.
 */
export function readTlsPair(files: TlsFiles): TlsPair | null {
  if (files === undefined) return null
  const pair = { cert: readPem('cert', files.cert), key: readPem('key', files.key) }
  try {
    createSecureContext(pair)
    return pair
  } catch (error) {
    const reason = `(${codeOf(error)})`
    throw new Error(
      `listen.tls: ${files.cert} and ${files.key} are not a certificate with its key in PEM, without a passphrase ${reason}`,
    )
  }
}

function readPem(option: 'cert' | 'key', file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new Error(`listen.tls.${option}: ${file} cannot be read (${codeOf(error)}). Check its path and permissions`)
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'

/**
 * Reads the files again, and uses them for new connections. If they are not a pair, the old one stays, and the log has
 * the reason. Has no effect on a server without TLS, because TLS begins and ends at a start.
 */
export function replaceTlsPair(server: Server, files: TlsFiles, log: Log): void {
  if (!(server instanceof TlsServer) || files === undefined) return
  try {
    const pair = readTlsPair(files)
    if (pair !== null) server.setSecureContext(pair)
  } catch (error) {
    log({ event: 'tls_refused', problems: [error instanceof Error ? error.message : String(error)] })
  }
}
