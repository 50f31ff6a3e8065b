import type { JsonObject } from '../../../protocol/json.ts'
import type { ModelListing } from '../../client-contract.ts'

/** The time of modification of every model, since the real one is unknown. */
const LONG_AGO = '1970-01-01T00:00:00Z'

/** A digest of zeros: Ollama's own command line prints the first twelve digits. */
const NO_DIGEST = '0'.repeat(64)

const vendorOf = (id: string): string => id.split('/', 1).join()

const detailsOf = (id: string): JsonObject => ({
  parent_model: '',
  format: '',
  family: vendorOf(id),
  families: [vendorOf(id)],
  parameter_size: '',
  quantization_level: '',
})

/**
 * The capabilities of the chat API. Every model lists all of them, because the gateway has no list of the capabilities
 * of a model, and clients do not offer a capability that is not listed.
 */
const CAPABILITIES = ['completion', 'tools', 'thinking', 'vision']

/** Encodes the answers to `GET /api/tags` and `POST /api/show`. The gateway has no model files: their fields are empty. */
export const encodeModels: ModelListing = {
  one: (id) => ({
    license: '',
    modelfile: '',
    parameters: '',
    template: '',
    details: detailsOf(id),
    model_info: { 'general.architecture': vendorOf(id), 'general.basename': id },
    capabilities: CAPABILITIES,
    modified_at: LONG_AGO,
  }),
  list: (ids) => ({
    models: ids.map((id) => ({
      name: id,
      model: id,
      modified_at: LONG_AGO,
      size: 0,
      digest: NO_DIGEST,
      details: detailsOf(id),
    })),
  }),
}
