import type { Endpoint } from '../../gateway/routing/refusals.ts'
import type { Route } from '../../gateway/routing/routes.ts'
import { getDescription } from './describe.ts'
import { postExplain } from './explain.ts'
import { getFixture, getFixtures } from './fixtures.ts'
import type { PageEndpoint, ServerPage } from './page.ts'
import { getRequests } from './requests.ts'
import { getAsset, getPage } from './serve-assets.ts'

/** The paths of the page and of what it requests, in which `*` is the rest of a path; none if the server has no page. */
export function pageRoutes(page: ServerPage | null): [string, Route][] {
  if (page === null) return []
  const on =
    (endpoint: PageEndpoint): Endpoint =>
    (gateway, context) =>
      endpoint(gateway, context, page)
  return [
    ['/', { endpoints: { GET: on(getPage), HEAD: on(getPage) } }],
    ['/page/*', { endpoints: { GET: on(getAsset), HEAD: on(getAsset) } }],
    ['/page/api/describe', { endpoints: { GET: on(getDescription) } }],
    ['/page/api/requests', { endpoints: { GET: on(getRequests) } }],
    ['/page/api/fixtures', { endpoints: { GET: getFixtures } }],
    ['/page/api/fixtures/*', { endpoints: { GET: getFixture } }],
    ['/page/api/explain', { endpoints: { POST: on(postExplain) } }],
  ]
}
