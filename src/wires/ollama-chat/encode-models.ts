import type { JsonObject } from '../../protocol/json.ts'
import type { Models } from '../client.ts'

/** Of a model that is not known to have been changed. */
const LONG_AGO = '1970-01-01T00:00:00Z'

/** Ollama's own command line prints the first twelve digits. */
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

/** What a chat can carry; which of it a model can do only its vendor knows. Clients offer nothing that is not named here. */
const CAPABILITIES = ['completion', 'tools', 'thinking', 'vision']

/** `GET /api/tags` and `POST /api/show`: no model has a file here, so that its fields are empty. */
export const encodeModels: Models = {
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
