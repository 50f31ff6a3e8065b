import type { Endpoint } from '../../gateway/endpoints/refusals.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import { getDescription } from './describe.ts'
import { postExplain } from './explain.ts'
import { getFixture } from './fixtures.ts'
import { getRequests } from './requests.ts'
import { getAsset, getPage } from './serve-assets.ts'

/** The paths of the page and of what it requests, in which `*` is the rest of a path; none if the server has no page. */
export function pageRoutes({
  page,
}: Pick<Gateway, 'page'>): [string, { readonly endpoints: Record<string, Endpoint> }][] {
  if (page === null) return []
  return [
    ['/', { endpoints: { GET: getPage, HEAD: getPage } }],
    ['/page/*', { endpoints: { GET: getAsset, HEAD: getAsset } }],
    ['/page/api/describe', { endpoints: { GET: getDescription } }],
    ['/page/api/requests', { endpoints: { GET: getRequests } }],
    ['/page/api/fixtures/*', { endpoints: { GET: getFixture } }],
    ['/page/api/explain', { endpoints: { POST: postExplain } }],
  ]
}
