import { ja as applications } from './applications/ja.js';
import type { Messages } from './en.js';

export const ja: Messages = {
  ...applications,
  'layout.navigation': 'アプリ',
  'layout.applications': 'あなたのアプリ',
  'layout.loggedInAs': '{user} としてログイン中',

  'login.title': 'ログイン',
  'login.username': 'ユーザー名',
  'login.password': 'パスワード',
  'login.showPassword': 'パスワードを表示',
  'login.hidePassword': 'パスワードを隠す',
  'login.submit': 'ログイン',
  'login.wrong': 'ユーザー名またはパスワードが正しくありません。',
  'login.outOfDate':
    'ページを開いてから時間がたちすぎたか、ブラウザーが Cookie を受け付けていません。もう一度ログインしてください。',
  'login.already':
    'すでに {user} としてログインしています。別のタブでログインしたのかもしれません。このフォームはその前に開かれたものなので、使われませんでした。',
  'login.continueAs': '{user} として続ける',
  'login.asSomebodyElse': '別のアカウントでログインする場合：',

  'logout.title': 'ログアウト',
  'logout.heading': 'ログアウトしますか？',
  'logout.loggedInAs': '{user} としてログインしています。',
  'logout.stay': 'ログインしたままにする',
  'logout.submit': 'ログアウト',

  'account.title': 'アカウントの選択',
  'account.chooseHeading': 'どのアカウントで続けますか？',
  'account.againHeading': 'もう一度ログインしてください',
  'account.choose': '{client} が、{site} のどのアカウントを使うかを確認しています。',
  'account.again':
    '{client} が、ご本人であることを確かめるため、{site} にもう一度ログインするよう求めています。',
  'account.current': '{user} としてログインしています。',
  'account.continueAs': '{user} として続ける',
  'account.another': '別のアカウントを使う',
  'account.logInAgain': 'もう一度ログインする',
  'account.cancel': 'キャンセル',
  'account.outOfDate': 'ページが古くなっていたため、何も変更されませんでした。あらためて選んでください。',

  'consent.title': '{client} を許可しますか？',
  'consent.heading': '{client} があなたのアカウントの利用を求めています',
  'consent.loggedInAs': '{site} に {user} としてログインしています。',
  'consent.notYou': '別の方ですか？',
  'consent.verified': '確認済み',
  'consent.verifiedMeaning': 'このアプリの提供元は {site} が確認しています。',
  'consent.unverified': '未確認',
  'consent.unverifiedMeaning':
    'このアプリの提供元を {site} は確認していません。よく知っているアプリで、今そこから移動してきた場合だけ許可してください。',
  'consent.deviceUnverifiedMeaning':
    '{site} は、このアプリの提供者を確認していません。ご自分の機器で今このアプリを起動した場合にだけ許可してください。',
  'consent.can': '許可すると、このアプリは次のことができます：',
  'consent.canNew': '今回新しく求めていること：',
  'consent.canAlready': '以前に許可したこと：',
  'consent.needed': '必須',
  'consent.resource': 'アクセス先は {resource} です。',
  'consent.untick': '許可したくないものはチェックを外してください。',
  'consent.identityOnly':
    '許可すると、アプリはあなたが誰か（ここでのアカウントの ID）だけを知ります。何かを見たり変更したりすることはできません。',
  'consent.cannot': '次のことはできません：',
  'consent.cannotPassword': 'パスワードを見ること、変更すること',
  'consent.cannotElse': 'ここで許可していないことをすること',
  'consent.cannotNote': '',
  'consent.deny': '拒否する',
  'consent.allow': '許可する',
  'consent.goesTo': 'どちらを選んでも {host} に移動します。',
  'consent.device': 'この端末のアプリ',
  'consent.takeBack': '許可はいつでも取り消せます。',
  'consent.takeBackLink': '許可したものを確認する',
  'consent.outOfDate': 'ページが古くなっていたため、まだ何も決まっていません。あらためて選んでください。',
  'consent.undecided': '「許可する」か「拒否する」を選んでください。',
  'consent.deviceHeading': 'デバイスを接続しようとしています。デバイスにこのコードが表示されていますか？',
  'consent.deviceCheck':
    'デバイスが目の前にあり、まったく同じコードが表示されている場合だけ許可してください。誰かから送られたコードの場合は拒否してください。',
  'consent.deviceAfter': 'このあとはデバイスに戻ってください。パスワードがデバイスに渡ることはありません。',

  'device.title': 'デバイスの接続',
  'device.lead': 'デバイスに表示されているコードを入力してください。',
  'device.fromLink':
    'コードはリンクに含まれていたものです。目の前のデバイスにまったく同じコードが表示されている場合だけ、次に進んでください。',
  'device.code': 'コード',
  'device.codeMeaning': 'アルファベット 8 文字です。大文字と小文字、ハイフンの有無は区別しません。',
  'device.submit': '次へ',
  'device.warning':
    'このコードは、誰かから送られたり読み上げられたりしたものですか？その場合は中止してください。デバイスを持っている人が、あなたのアカウントに入れるようになります。',
  'device.wrongCode':
    'コードが正しくないか、すでに使われたか、期限が切れています。デバイスをもう一度確認し、別のコードが表示されている場合はそれを入力してください。',
  'device.outOfDate':
    'ページを開いてから時間がたちすぎたか、ブラウザーが Cookie を受け付けていません。もう一度コードを送信してください。',
  'device.allowed': 'デバイスを接続しました',
  'device.allowedMessage':
    'デバイスに戻ってください。数秒で自動的に先へ進みます。このページは閉じてかまいません。',
  'device.later': '気が変わったら、いつでも接続を解除できます。',
  'device.laterLink': '接続中のアプリを確認する',
  'device.denied': '何も接続されていません',
  'device.deniedMessage':
    'デバイスはあなたのアカウントにアクセスできません。このページは閉じてかまいません。',

  'authorizations.title': '接続中のアプリ',
  'authorizations.lead':
    'これらのアプリはあなたのアカウントを利用できます。接続を解除すると、アクセスはただちに終わります。',
  'authorizations.none': '接続中のアプリはありません',
  'authorizations.noneMessage':
    'アプリにアカウントの利用を許可すると、ここに表示されます。許可はここで取り消せます。',
  'authorizations.can': 'できること：',
  'authorizations.identityOnly':
    'あなたが誰かを知っているだけで、何かを見たり変更したりすることはできません。',
  'authorizations.since': '{date} から接続',
  'authorizations.renewed': '最後のアクセス：{time}',
  'authorizations.idle': '現在アクセスはありませんが、あなたに確認せずに再び接続できます。',
  'authorizations.device': 'デバイス',
  'authorizations.trusted': 'このサイトの一部',
  'authorizations.revoke': '接続を解除',
  'authorizations.revokeAll': 'すべての接続を解除…',
  'authorizations.revokeAllMeaning':
    'すべてのアプリとデバイスのアクセスがただちに終わり、再び接続するには改めてあなたの許可が必要になります。',
  'authorizations.revokeAllConfirm': 'すべて解除する',
  'authorizations.revoked': 'アプリの接続を解除し、アクセスを終了しました。',
  'authorizations.revokedAll': 'すべてのアプリの接続を解除し、アクセスを終了しました。',

  'error.client':
    'あなたの操作に問題はありません。原因はアプリにあります。アプリに戻ってもう一度お試しください。それでもうまくいかない場合は、下の詳細をアプリの提供元に伝えてください。',
  'error.site':
    'あなたの操作に問題はありません。原因はこのサイトにあります。もう一度お試しください。それでもうまくいかない場合は、下の番号をこのサイトに伝えてください。',
  'error.unknownClient': '登録されていないアプリです',
  'error.unknownClientMessage': '移動元のアプリはこのサイトに登録されていないか、削除されています。',
  'error.wrongRequest': 'アプリからの要求が正しくありません',
  'error.wrongRequestMessage': '移動元のアプリの要求を、このサイトは受け付けることができません。',
  'error.unauthorizedClientMessage': '移動元のアプリが、登録されていないことを求めました。',
  'error.invalidScopeMessage': '移動元のアプリが、存在しない権限、または持つことのできない権限を求めました。',
  'error.responseTypeMessage': '移動元のアプリが、このサイトにはない方法で接続しようとしました。',
  'error.server': '問題が発生しました',
  'error.serverMessage': 'このサイトで問題が発生しました。',
  'error.unavailable': '少し待ってからもう一度お試しください',
  'error.unavailableMessage': 'このサイトは現在応答できません。',
  'error.unavailableHint':
    'あなたの操作に問題はなく、何も失われていません。数秒後にページを再読み込みしてください。',
  'error.wrongForm': 'フォームを読み取れませんでした',
  'error.wrongFormMessage': '送られた内容がこのサイトのフォームと異なるため、何も変更されませんでした。',
  'error.wrongFormHint': '前のページに戻って再読み込みし、もう一度お試しください。',
  'error.notFound': 'ページが見つかりません',
  'error.notFoundMessage': 'ページが存在しないか、ほかの人のものです。',
  'error.notFoundHint': 'アドレスと、正しいアカウントでログインしているかを確認してください。',
  'error.conflict': '先に変更されました',
  'error.conflictMessage': '同じものが同時に変更されたため、あなたの変更は行われませんでした。',
  'error.conflictHint': '前のページに戻って再読み込みし、現在の状態を確認してください。',
  'error.tooLarge': '内容が大きすぎます',
  'error.tooLargeMessage': '送られた内容がフォームの上限を超えているため、何も変更されませんでした。',
  'error.tooLargeHint': '前のページに戻り、短くしてからもう一度お試しください。',
  'error.tooMany': '試行回数が多すぎます',
  'error.tooManyMessage': '短い時間に何度も試されました。{time}待ってから、もう一度お試しください。',
  'error.tooManyHint': '機械による総当たりから、アカウントとこのサイトを守るためです。',
  'error.refused': 'この操作はできません',
  'error.refusedHint': '何も変更されていません。',
  'error.formOutOfDate': 'このフォームは古くなっています。ページを開き直して、もう一度操作してください。',
  'error.notDeveloper': 'あなたのアカウントでは、このサイトにアプリを登録できません。',
  'error.trustedApplication':
    'このアプリはこのサイトが保証しています。変更はサイトの運営者に依頼してください。',
  'error.number': 'この要求の番号：{id}',
  'error.details': '開発者向けの詳細',
  'error.code': 'エラー',
  'error.description': '説明',

  'applications.title': 'あなたのアプリ',
  'applications.register': 'アプリを登録',
  'applications.none': 'アプリはまだありません',
  'applications.noneMessage':
    'アプリを登録すると、利用者が {site} のアカウントとつなげられるようになります。アプリには固有の ID が与えられ、利用者の情報を見る前に必ず許可を求めます。',
  'applications.registeredOn': '{date} 登録',
  'applications.confidential': 'コンフィデンシャル',
  'applications.public': 'パブリック',
  'applications.saved': '変更を保存しました。',
  'applications.deleted': 'アプリを削除し、そのアクセスをすべて終了しました。',
  'applications.registeredBefore': 'このアプリはすでに登録されています。フォームが二度送信されました。',
  'applications.lostSecret':
    'シークレットは一度しか表示されません。お持ちでない場合は、下で新しく作成してください。',
  'applications.rotatedBefore':
    '新しいシークレットは先ほど作成されました。フォームが二度送信されたため、別のものは作成していません。お持ちでない場合は、下で新しく作成してください。',
  'applications.tooMany': 'アプリが {count} 個あり、これ以上は登録できません。不要なものを削除してください。',

  'application.edit': '編集',
  'application.secretNow': 'クライアントシークレットを今コピーしてください',
  'application.secretOnce':
    '表示されるのは今回だけです。サーバーに保管し、コードやアプリ、ブラウザーには入れないでください。',
  'application.details': '詳細',
  'application.clientId': 'クライアント ID',
  'application.type': '種類',
  'application.trusted': 'このサイトが保証',
  'application.redirectUris': 'リダイレクト URI',
  'application.noRedirectUris': 'なし',
  'application.mayAskFor': '求められる権限',
  'application.asksForNothing': '利用者が誰かということだけ',
  'application.getsAccessBy': 'アクセスの取得方法',
  'application.registered': '登録日時',
  'application.authorizationEndpoint': '認可エンドポイント',
  'application.tokenEndpoint': 'トークンエンドポイント',
  'application.secret': 'クライアントシークレット',
  'application.secretMade': '{time} に作成',
  'application.secretEnds': '{time} に作成、{end} まで有効',
  'application.secretCurrent': '現在のもの',
  'application.rotateOverlap':
    '新しいシークレットが現在のものに代わります。現在のものもあと{span}使えるので、止めずに切り替えられます。',
  'application.rotateAtOnce': '新しいシークレットが、ただちに現在のものに代わります。',
  'application.rotate': '新しいシークレットを作成',
  'application.delete': 'このアプリを削除',
  'application.deleteMeaning': '利用者全員の接続がただちに切れます。元に戻すことはできません。',
  'application.deleteButton': '削除…',
  'application.deleteHeading': '{client} を削除しますか？',
  'application.deleteLead':
    '利用者全員の接続がただちに切れます。トークンは無効になり、許可の記録も消えます。元に戻すことはできません。',
  'application.keep': '残す',
  'application.deleteConfirm': '削除する',

  'form.edit': '{client} を編集',
  'form.notSaved': 'まだ保存されていません。',
  'form.pleaseLook': '次の点を確認してください：',
  'form.name': '名前',
  'form.nameMeaning': 'アプリがアクセスを求めるときに利用者に表示されます。',
  'form.type': '種類',
  'form.confidential': 'コンフィデンシャル',
  'form.confidentialMeaning':
    'ご自分のサーバーで動き、そこに秘密を保管できるアプリです。クライアントシークレットが与えられます。',
  'form.public': 'パブリック',
  'form.publicMeaning':
    '利用者の端末でアプリとして、またはブラウザーで動き、秘密を保管できないアプリです。シークレットは与えられません。',
  'form.redirectUris': 'リダイレクト URI',
  'form.redirectUrisMeaning':
    '利用者の戻り先です。1 行に 1 つ、完全な形で書いてください：{web}。アプリの場合は {loopback}（ポートは任意）や {scheme} も使えます。',
  'form.scopes': '利用者に求められる権限',
  'form.grantTypes': 'アクセスの取得方法',
  'form.register': '登録する',
  'form.save': '変更を保存',
  'form.cancel': 'キャンセル',

  'grantType.authorization_code': '利用者のログイン',
  'grantType.authorization_code.meaning':
    '利用者がアプリからここに来て、許可し、アプリに戻ります。通常の方法です。',
  'grantType.refresh_token': '接続の維持',
  'grantType.refresh_token.meaning': '利用者が離れたあとも、取り消されるまでアプリはアクセスを保ちます。',
  'grantType.client_credentials': 'アプリ自身としての動作',
  'grantType.client_credentials.meaning':
    '利用者なしで、アプリ自身がアクセスを得ます。コンフィデンシャルなアプリだけが使えます。',
  'grantType.implicit': 'コードなしのログイン（旧方式）',
  'grantType.implicit.meaning':
    'ほかの方法が使えないアプリのための旧方式です。トークンがブラウザーのアドレスバーを通ります。',
  'grantType.password': 'パスワードの入力（旧方式）',
  'grantType.password.meaning':
    'ほかの方法が使えないアプリのための旧方式です。アプリが利用者のパスワードを見ることになります。',
  'grantType.urn:ietf:params:oauth:grant-type:device_code': 'デバイスの接続',
  'grantType.urn:ietf:params:oauth:grant-type:device_code.meaning':
    'テレビ、プリンター、コマンドラインのためのものです。利用者が別の端末で短いコードを入力し、そこで許可します。',
};
