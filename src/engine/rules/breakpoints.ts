import { limitBreakpoints } from '../../wires/shared/upstream/cache/place-breakpoints.ts'
import type { RequestRule } from './rule.ts'

/** Upstreams refuse a request with more cache breakpoints than they accept, also where the client has set them. */
export const cacheBreakpoints: RequestRule = {
  name: 'cache breakpoints',
  when: ({ wire }) => wire.cacheSupport !== undefined,
  mend: (request, { wire, quirks }) => limitBreakpoints(request, wire.cacheSupport?.({ model: '', quirks }) ?? null),
}
