import { type ClassInfo, GroovyObject, type Value } from '@identity-gateway/groovy'
import { extendWithHost, gatewayClass } from '../host-class.ts'
import { parsedJwt } from './tokens.ts'

const ReconstructionClass = gatewayClass('json.jose.common.JwtReconstruction')

class ReconstructionValue extends GroovyObject {
  get klass(): ClassInfo {
    return ReconstructionClass
  }
}

extendWithHost(ReconstructionClass, {
  'new()': () => new ReconstructionValue(),
  'reconstructJwt(String token, Class type): Jwt': (_: Value, token: string, type: ClassInfo) => parsedJwt(token, type),
})
