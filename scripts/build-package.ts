// Builds the files that `npm pack` adds to the sources: JavaScript in `dist` and the licences of the bundled packages. The pages
// of the Studio are built before, by scripts/build-studio.ts.
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleGateway } from './gateway-bundle.ts'
import { root } from './steps.ts'
import { thirdPartyNotices } from './third-party-notices.ts'

const built = join(root, 'dist')
/** Another process may run the built files: they are replaced when the new ones are complete. */
const fresh = `${built}-${process.pid}`

const metafile = await bundleGateway(fresh)
rmSync(built, { recursive: true, force: true })
renameSync(fresh, built)
writeFileSync(join(root, 'THIRD-PARTY-NOTICES.md'), thirdPartyNotices(Object.keys(metafile.inputs)))
