// Answers a Responses request with any vendor: the request half and the answer half in one fetch-style handler.
import {
  DIALECTS,
  findVendor,
  parseBody,
  toEcho,
  toErrorBody,
  translateResponse,
  validateRequest,
  WIRES,
} from 'millrace'

const dialect = DIALECTS.openai

const refuse = (error) => Response.json(toErrorBody(error), { status: error.status })

/** Forwards one request to a vendor, and streams its answer as Responses events. */
export async function handle(request, { vendor: name, key }) {
  const vendor = findVendor(name)
  const wire = WIRES[vendor.wire]

  const parsed = parseBody(await request.text())
  if (!parsed.ok) return refuse(parsed.error)
  const validated = validateRequest(parsed.body)
  if (!validated.ok) return refuse(validated.error)
  const wanted = { ...validated.request, stream: true }

  const encoded = wire.encodeRequest(wanted, { model: wanted.model, quirks: vendor.quirks, open: () => undefined })
  if (!encoded.ok) return refuse(encoded.error)
  for (const { path, action, why } of encoded.losses) console.warn(`${path} ${action}: ${why}`)

  const upstream = await fetch(vendor.baseUrl + encoded.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...wire.authorize(key, vendor.quirks), ...encoded.headers },
    body: JSON.stringify(encoded.body),
    signal: request.signal,
  })

  const head = {
    id: `resp_${crypto.randomUUID()}`,
    created_at: Math.floor(Date.now() / 1000),
    model: wanted.model,
    echo: toEcho(wanted),
  }
  const events = translateResponse(upstream, { wire, quirks: vendor.quirks, dialect, head })
  return new Response(ReadableStream.from(events), { headers: { 'content-type': 'text/event-stream' } })
}

const request = new Request('http://localhost/v1/responses', {
  method: 'POST',
  body: JSON.stringify({ model: 'llama-3.3-70b-versatile', input: 'Hello!', metadata: { run: '1' } }),
})
const response = await handle(request, { vendor: 'groq', key: process.env.GROQ_API_KEY })
for await (const bytes of response.body) process.stdout.write(bytes)
