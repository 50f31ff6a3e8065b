import type { WireName } from '../../src/wires/contract.ts'
import { KEY, startGateway } from './test-server.ts'

/** Sends requests of several client APIs to a gateway whose vendor is unreachable. */

export const PARAMETERS = { type: 'object' }
export const GEMINI = '/models/acme/m:generateContent'
export const TWO = [{ functionDeclarations: [{ name: 'f' }, { name: 'g' }] }]
export const STRICT = { type: 'function', function: { name: 'f', parameters: PARAMETERS, strict: true } }

export const userMessage = (wire: WireName, path: string, body: object, quirks: object = {}): Promise<Response> =>
  startGateway({
    vendors: { acme: { wire, base_url: 'http://127.0.0.1:9', key: 'x', quirks } },
    retry: { attempts: 1 },
  }).then(({ url }) =>
    fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'acme/m', ...body }),
    }),
  )
