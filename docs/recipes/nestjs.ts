// For NestJS 10 or 11 on Express. Copy the provider, the guard and the filter into your project, and the lines of
// bootstrap, which put the routers before Nest's body parsers. Nest 10 needs "esModuleInterop": true in tsconfig.json;
// `import * as cookieParser from 'cookie-parser'` then becomes `import cookieParser from 'cookie-parser'`.
//
// With ConfigModule, inject ConfigService beside the connection, and write config.getOrThrow('ISSUER') for env('ISSUER').
// Your own users: const people = app.get(UsersService), and in the place of createUsers(connection)
// { verify: (email, password) => people.validate(email, password), findById: (id) => people.findById(id) }. Both resolve
// to { id, username, name }, or to null. If the project has a strategy 'local', use a new Passport() here.
// req.user: write oauth.guard({ scopes, user: true }) in the guard, and give authorizationServer the option people.find.
// With @nestjs/passport, passport.use(oauth.guard.strategy()) and AuthGuard(['jwt', 'oauth']) accept your own tokens too.
// A gateway (@nestjs/websockets) checks its token with oauth.verify, as socket-io.mjs does.
// With app.enableShutdownHooks(), call oauth.close() in onApplicationShutdown.

import 'reflect-metadata';
import {
  applyDecorators,
  type ArgumentsHost,
  type CanActivate,
  Catch,
  Controller,
  createParamDecorator,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  Global,
  Inject,
  Injectable,
  mixin,
  Module,
  Post,
  UseGuards,
} from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import { getConnectionToken, MongooseModule } from '@nestjs/mongoose';
import type { NestExpressApplication } from '@nestjs/platform-express';
import MongoStore from 'connect-mongo';
import {
  type AccessToken,
  authOf,
  type AuthorizationServer,
  authorizationServer,
  createUsers,
  localLogin,
  OAuthError,
} from 'express-authorization-server';
import session from 'express-session';
import type { Connection } from 'mongoose';
import passport from 'passport';
import { promisify } from 'node:util';

// read when a module is made, not at the top of a file: ConfigModule loads .env after the imports
const env = (name: string) => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is missing`);
  return value;
};
const OAUTH = 'OAUTH';

// the guard of a route, as a decorator: @Scopes('photos:read'); a scope that does not exist throws at the start
const OAuthGuard = (...scopes: string[]) => {
  @Injectable()
  class ScopeGuard implements CanActivate {
    readonly guard;
    constructor(@Inject(OAUTH) oauth: AuthorizationServer) {
      this.guard = promisify(oauth.guard(...scopes));
    }
    async canActivate(context: ExecutionContext) {
      const http = context.switchToHttp();
      await this.guard(http.getRequest(), http.getResponse());
      return true;
    }
  }
  return mixin(ScopeGuard);
};
export const Scopes = (...scopes: string[]) => applyDecorators(UseGuards(OAuthGuard(...scopes)));
export const Auth = createParamDecorator((_, context: ExecutionContext) =>
  authOf(context.switchToHttp().getRequest()),
);

// answers refusals as RFC 6750 defines them; Nest would send the right status with another body
@Catch(OAuthError)
class OAuthErrorFilter implements ExceptionFilter {
  constructor(@Inject(OAUTH) private readonly oauth: AuthorizationServer) {}
  catch(error: OAuthError, host: ArgumentsHost) {
    const http = host.switchToHttp();
    this.oauth.errorHandler(error, http.getRequest(), http.getResponse(), (unknown) => {
      throw unknown;
    });
  }
}

const oauthProvider = {
  provide: OAUTH,
  inject: [getConnectionToken()],
  useFactory: (connection: Connection) =>
    authorizationServer({
      issuer: env('ISSUER'),
      connection,
      scopes: { 'photos:read': 'See your photos', 'photos:write': 'Add and delete photos' },
      login: '/login',
    }),
};
@Global()
@Module({
  imports: [MongooseModule.forRootAsync({ useFactory: () => ({ uri: env('MONGODB_URI') }) })],
  providers: [oauthProvider, { provide: APP_FILTER, useClass: OAuthErrorFilter }],
  exports: [OAUTH],
})
class OAuthModule {}

@Controller('photos')
class PhotosController {
  @Get()
  @Scopes('photos:read')
  list(@Auth() auth: AccessToken) {
    return { photosOf: auth.userId };
  }

  @Post()
  @Scopes('photos:read', 'photos:write')
  add(@Auth() auth: AccessToken) {
    return { addedBy: auth.userId };
  }
}

@Module({ imports: [OAuthModule], controllers: [PhotosController] })
class AppModule {}

async function bootstrap() {
  const app = await NestFactory.create<NestExpressApplication>(AppModule);
  app.setGlobalPrefix('api'); // of the controllers alone
  const oauth = app.get<AuthorizationServer>(OAUTH);
  const connection = app.get<Connection>(getConnectionToken());
  app.use(oauth.clientRouter);
  app.use(
    session({
      secret: env('SESSION_SECRET'),
      resave: false,
      saveUninitialized: false,
      store: MongoStore.create({ client: connection.getClient() }),
      cookie: { sameSite: 'lax', secure: env('ISSUER').startsWith('https:') },
    }),
    passport.session(),
    localLogin({ passport, users: createUsers(connection), events: oauth.events }),
    oauth.pageRouter,
  );
  await app.listen(process.env.PORT ?? 3000);
}
void bootstrap();
