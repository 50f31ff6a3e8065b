/**
 * The program that every runtime serves: the fetch gateway, with functions of the package on paths of their own. `env`:
 * `CONFIG`, the configuration of the gateway, and variables of keys.
 */
import { createStreamTranslator, createTranslator } from 'millrace'
import { createGateway } from 'millrace/fetch'

/** Translates the stream in the body, cut into pieces of so many bytes. */
function translateInPieces(bytes, options, size) {
  const translator = createStreamTranslator(options)
  const decoder = new TextDecoder()
  let text = ''
  for (let at = 0; at < bytes.length; at += size)
    text += decoder.decode(translator.push(bytes.subarray(at, at + size)), { stream: true })
  return text + decoder.decode(translator.end())
}

/** `options`: a list of options of `createStreamTranslator`, each with `size`. */
async function pieces(request, options) {
  const bytes = new Uint8Array(await request.arrayBuffer())
  return Response.json(options.map(({ size, ...rest }) => translateInPieces(bytes, rest, size)))
}

/** What the example `fetch-handler.ts` does, with the options of the address. */
async function translate(request, options) {
  const translator = createTranslator(options)
  const call = translator.encodeRequest(await request.text())
  if (!call.ok) return translator.errorResponse(call.error)
  return translator.toResponse(fetch(call.url, { ...call.init, signal: request.signal }), call)
}

/** Programs that write one text a call. Bundles need their names. */
const EXAMPLES = {
  'own-wire': () => import('./own-wire.mjs'),
  'own-vendor': () => import('./own-vendor.mjs'),
  'own-target': () => import('./own-target.mjs'),
}

/** Runs an example, and returns what it prints. */
async function runExample(name) {
  const { log } = console
  const lines = []
  console.log = (...values) => lines.push(`${values.join(' ')}\n`)
  try {
    await EXAMPLES[name]()
  } finally {
    console.log = log
  }
  return new Response(lines.join(''))
}

let gateway

export default {
  async fetch(request, env, context) {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/pieces') return pieces(request, JSON.parse(searchParams.get('options')))
    if (pathname === '/translate') return translate(request, JSON.parse(searchParams.get('options')))
    if (pathname === '/example') return runExample(searchParams.get('name'))
    gateway ??= createGateway(env.CONFIG, { env })
    return gateway.fetch(request, context)
  },
}
