import { SignatureV4 } from '@smithy/signature-v4'
import { REGION } from '../config/config.ts'
import type { Hashes } from '../hashes.ts'
import type { Transport, UpstreamRequest } from './transport.ts'

export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Present with temporary credentials only. */
  readonly sessionToken: string | null
}

/** The credentials and the scope of a signature. */
interface AwsSigner {
  readonly credentials: AwsCredentials
  readonly region: string
  /** AWS's name of the service, e.g. `bedrock`. */
  readonly service: string
}

type Read = (variable: string) => string

/** The region that AWS's own tools would use; empty if none is set. */
export function regionIn(read: Read): string {
  const region = read('AWS_REGION') || read('AWS_DEFAULT_REGION')
  return REGION.test(region) ? region : ''
}

/** The credentials of the environment, under the names that AWS's own tools use; null if they are not set. */
export function credentialsIn(read: Read): AwsCredentials | null {
  const [accessKeyId, secretAccessKey] = [read('AWS_ACCESS_KEY_ID'), read('AWS_SECRET_ACCESS_KEY')]
  if (accessKeyId === '' || secretAccessKey === '') return null
  return { accessKeyId, secretAccessKey, sessionToken: read('AWS_SESSION_TOKEN') || null }
}

/**
 * Adds a signature to a call (AWS Signature Version 4). It covers the host, the path, the body and the headers that AWS
 * requires; a proxy may change all other headers.
 */
export async function signRequest(
  call: UpstreamRequest,
  signer: AwsSigner,
  at: Date,
  { Sha256 }: Hashes,
): Promise<UpstreamRequest> {
  const { url, headers, body } = call
  const { credentials, region, service } = signer
  const { sessionToken, ...pair } = credentials
  const v4 = new SignatureV4({
    region,
    service,
    credentials: sessionToken === null ? pair : { ...pair, sessionToken },
    sha256: Sha256,
  })
  const query = Object.fromEntries([...url.searchParams.keys()].map((name) => [name, url.searchParams.getAll(name)]))
  const signed = await v4.sign(
    {
      method: 'POST',
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query,
      headers: { host: url.host, 'content-type': headers['content-type'] ?? 'application/json' },
      body,
    },
    { signingDate: at },
  )
  const { host: _, ...added } = signed.headers
  return { ...call, headers: { ...headers, ...added } }
}

interface SigningPlatform {
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly hashes: Hashes
}

/** Signs every call right before it is sent, so that a retry has its own time. */
export const signedTransport =
  (source: Transport, signer: AwsSigner, { clock, hashes }: SigningPlatform): Transport =>
  async (call, signal) =>
    source(await signRequest(call, signer, new Date(clock()), hashes), signal)
