// For NestJS 10 or 11 on Express, with the users of the site. Copy OAuthModule, the guard and the filter into your project,
// and the lines of bootstrap, which put the routers before Nest's body parsers. UsersService stands for the service that
// you have: localLogin needs its two functions, which resolve to { id, username, name } or null.
//
// Nest 10 needs "esModuleInterop": true in tsconfig.json, and then `import cookieParser from 'cookie-parser'` without `* as`.
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
import { ConfigModule, ConfigService } from '@nestjs/config';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import { getConnectionToken, getModelToken, MongooseModule } from '@nestjs/mongoose';
import type { NestExpressApplication } from '@nestjs/platform-express';
import bcrypt from 'bcrypt';
import MongoStore from 'connect-mongo';
import cookieParser from 'cookie-parser';
import {
  type AccessToken,
  authOf,
  type AuthorizationServer,
  authorizationServer,
  localLogin,
  OAuthError,
} from 'express-authorization-server';
import session from 'express-session';
import { type Connection, type InferSchemaType, type Model, Schema } from 'mongoose';
import { Passport } from 'passport';
import { promisify } from 'node:util';

const OAUTH = 'OAUTH';

// the users of the site
const userSchema = new Schema({ email: String, name: String, hash: String });
type User = InferSchemaType<typeof userSchema>;

@Injectable()
class UsersService {
  constructor(@Inject(getModelToken('User')) private readonly users: Model<User>) {}
  async findById(id: string) {
    const user = await this.users.findById(id);
    return user && { id: user.id as string, username: user.email ?? '', name: user.name ?? '' };
  }
  async validate(email: string, password: string) {
    const user = await this.users.findOne({ email });
    const isRight = user !== null && (await bcrypt.compare(password, user.hash ?? ''));
    return isRight ? this.findById(user.id) : null;
  }
}
@Module({
  imports: [MongooseModule.forFeature([{ name: 'User', schema: userSchema }])],
  providers: [UsersService],
  exports: [UsersService],
})
class UsersModule {}

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
  // ConfigModule loads .env after the imports: read no variable at the top of a file
  inject: [getConnectionToken(), ConfigService],
  useFactory: (connection: Connection, config: ConfigService) =>
    authorizationServer({
      issuer: config.getOrThrow('ISSUER'),
      connection,
      scopes: { 'photos:read': 'See your photos', 'photos:write': 'Add and delete photos' },
      login: '/login',
    }),
};
@Global()
@Module({
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

@Module({
  imports: [
    ConfigModule.forRoot({ isGlobal: true }),
    MongooseModule.forRootAsync({
      inject: [ConfigService],
      useFactory: (config: ConfigService) => ({ uri: config.getOrThrow('MONGODB_URI') }),
    }),
    UsersModule,
    OAuthModule,
  ],
  controllers: [PhotosController],
})
class AppModule {}

async function bootstrap() {
  const app = await NestFactory.create<NestExpressApplication>(AppModule);
  app.setGlobalPrefix('api'); // of the controllers alone
  const oauth = app.get<AuthorizationServer>(OAUTH);
  const config = app.get(ConfigService);
  const users = app.get(UsersService);
  const passport = new Passport(); // of its own: the project may have a strategy 'local'
  const pages = [
    session({
      secret: config.getOrThrow('SESSION_SECRET'),
      resave: false,
      saveUninitialized: false,
      // `as never`: connect-mongo may have the types of another version of the driver than Mongoose
      store: MongoStore.create({ client: app.get<Connection>(getConnectionToken()).getClient() as never }),
      cookie: { sameSite: 'lax', secure: config.getOrThrow('ISSUER').startsWith('https:') },
    }),
    passport.session(),
  ];
  app.use(oauth.clientRouter);
  app.use(['/oauth', '/login', '/logout'], pages);
  app.use(
    localLogin({
      passport,
      users: {
        verify: (email, password) => users.validate(email, password),
        findById: (id) => users.findById(id),
      },
      oauth,
    }),
    oauth.pageRouter,
  );
  app.use(cookieParser()); // what the project has follows
  await app.listen(config.get('PORT') ?? 3000);
}
void bootstrap();
