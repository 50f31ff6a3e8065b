import { placeBreakpoints } from '../../wires/shared/upstream/cache/place-breakpoints.ts'
import type { Pass } from './pass.ts'

/** Cache breakpoints are in places that the upstream has, with its lifetimes, and the policy adds others. */
export const breakpoints: Pass = (_, { wire }) => ({
  apply(original, target) {
    const support = wire.cacheSupport?.(target) ?? null
    const { request, losses } = placeBreakpoints(original, support, target.cache ?? 'client')
    return { ok: true, request, losses }
  },
})
