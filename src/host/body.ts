import type { IncomingMessage } from 'node:http'
import { clientError, type GatewayError } from '../protocol/error.ts'
import { type Attempt, failure, success } from './attempt.ts'
import { isCompressed } from './content-coding.ts'

/** Whether the header says that a JSON text follows. Without it, pages of other sites could send one: see `cross-site.ts`. */
export function checkContentType({ headers }: IncomingMessage): Attempt<null> {
  if (isCompressed(headers['content-encoding'])) {
    return unsupported('The body must not be compressed (Content-Encoding: identity).')
  }
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';')
  if (type.trim() !== 'application/json') return unsupported('The body must be application/json.')
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='))
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  return isUtf8 ? success(null) : unsupported('The body must be UTF-8.')
}

const unsupported = (message: string) => failure(clientError('unsupported_media_type', message))

const tooLarge = (limit: number): GatewayError =>
  clientError('request_too_large', `The body must not be larger than ${limit} bytes.`)

/** The client's whole body as text. What is over the limit is read on and thrown away, so that the answer is heard. */
export function readBody(request: IncomingMessage, limit: number): Promise<Attempt<string>> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const refuse = (error: GatewayError): void => {
      chunks.length = 0
      resolve(failure(error))
    }
    // Nobody listened so far: what has happened is not told again.
    if (request.destroyed) refuse(INCOMPLETE)
    if (Number(request.headers['content-length'] ?? 0) > limit) refuse(tooLarge(limit))
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) refuse(tooLarge(limit))
      else chunks.push(chunk)
    })
    // Whoever still listens to the request, a whole answer long, must not keep its body.
    request.on('end', () => resolve(decode(Buffer.concat(chunks.splice(0)))))
    request.on('error', () => refuse(INCOMPLETE))
    request.on('close', () => refuse(INCOMPLETE))
  })
}

const INCOMPLETE = clientError('incomplete_body', 'The request ended before its body was complete.')

const decoder = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Uint8Array): Attempt<string> {
  try {
    return success(decoder.decode(bytes))
  } catch {
    return failure(clientError('invalid_json', 'body: expected UTF-8', 'body'))
  }
}
